# SPDX-License-Identifier: Apache-2.0
"""Events that a workload emits while prengdl measures it.

    import prengdl

    for epoch in prengdl.spans("epoch", range(1, 11)):
        with prengdl.span("train", epoch):
            ...
            prengdl.work("samples", 50000)
        prengdl.metric("accuracy", 0.91, step=epoch)

If PRENGDL_EVENTS is not set, prengdl did not start the workload and the calls do nothing. Nothing here raises
because of a name, a value or the file: the worst that a workload sees is one warning.
"""

import os as _os
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = [
    "Span",
    "active",
    "begin",
    "end",
    "fact",
    "left_out",
    "metric",
    "span",
    "spanned",
    "spans",
    "work",
]


def _chosen() -> _ModuleType:
    """The module that does the work, chosen once, so that outside prengdl nothing is asked again."""
    from . import _idle

    path = _os.environ.get("PRENGDL_EVENTS")
    if not path:
        return _idle
    try:
        from . import _events

        _events.start(path)
        return _events
    except Exception as error:
        try:
            import warnings

            warnings.warn(
                f"prengdl: no events are told, cannot open PRENGDL_EVENTS: {error}",
                RuntimeWarning,
                stacklevel=3,
            )
        except Exception:
            pass  # warnings are errors here; still not the workload's
        return _idle


if TYPE_CHECKING:
    from ._events import Span, active, begin, end, fact, left_out, metric, span, spanned, spans, work
else:
    _module = _chosen()
    globals().update((_name, getattr(_module, _name)) for _name in __all__)
    del _module
