# SPDX-License-Identifier: Apache-2.0
"""The package outside prengdl: the functions of _events, doing nothing at the least cost."""

from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, Optional, Type, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Item = TypeVar("_Item")


class Span:
    __slots__ = ()

    def __init__(self, span: object, name: object = "", *, id: Optional[int] = None) -> None:
        pass

    def __enter__(self) -> "Span":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        pass


_span = Span("")


def active() -> bool:
    return False


def left_out() -> int:
    return 0


def begin(span: object, name: object = "", *, id: Optional[int] = None) -> None:
    pass


def end(span: object, name: object = "", *, id: Optional[int] = None) -> None:
    pass


def span(span: object, name: object = "", *, id: Optional[int] = None) -> Span:
    return _span


def spanned(span: object, name: object = "") -> Callable[[_Function], _Function]:
    return _unchanged


def _unchanged(function: _Function) -> _Function:
    return function


def spans(span: object, items: Iterable[_Item]) -> Iterator[_Item]:
    return iter(items)


def metric(name: object, value: Any, step: Optional[int] = None) -> None:
    pass


def work(name: object, value: Any) -> None:
    pass


def fact(name: object, value: object) -> None:
    pass
