# SPDX-License-Identifier: Apache-2.0
"""Names and numbers as JSON, whatever a workload passes for them. Nothing here raises."""

import json
import math
import operator
from typing import Any, Dict, Optional

_LONGEST_KEPT = 256
_MOST_KEPT = 4096


def plain(thing: object) -> str:
    """The text of anything that serves as a name."""
    if isinstance(thing, str):
        return str.__str__(thing)  # for an enum of strings its value, the same on every Python
    try:
        return str(thing)
    except Exception:
        return type(thing).__name__


def quote(text: str) -> str:
    """A JSON string in ASCII. Half a surrogate pair, which JSON readers refuse, becomes U+FFFD."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return json.dumps(whole)


class Quoted(Dict[Any, str]):
    """Names already quoted. It stops growing, so a new name per step costs time but no memory."""

    def __missing__(self, thing: Any) -> str:
        quoted = quote(plain(thing))
        # Only true strings are kept: 1, 1.0 and True are one key but three names.
        if type(thing) is str and len(quoted) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[thing] = quoted
        return quoted


def number(value: Any) -> Optional[str]:
    """A JSON number from anything that is one, such as NumPy scalars and tensors of one element.
    None from everything else, and from NaN and infinity, which JSON does not have."""
    try:
        if type(value) is not float:
            try:
                whole = int(operator.index(value))
                if -(2**63) <= whole < 2**63:
                    return str(whole)
            except TypeError:
                pass
            value = float(value)
        return repr(value) if math.isfinite(value) else None
    except Exception:
        return None


def integer(value: Any) -> Optional[str]:
    """A JSON integer of 64 bits, also from 3.0; None from all else."""
    try:
        whole = int(value)
        return str(whole) if whole == value and -(2**63) <= whole < 2**63 else None
    except Exception:
        return None
