# SPDX-License-Identifier: Apache-2.0
"""The package inside prengdl: each event is one line, formatted by hand and written by one write.

The file is opened with O_APPEND, so lines of several threads and processes never mix. There is no
lock, so neither a fork nor a signal handler can meet one that is held.
"""

import errno
import fcntl
import functools
import inspect
import itertools
import os
import stat
import threading
import warnings
from time import monotonic_ns as _now
from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, Optional, Type, TypeVar, cast

from ._text import Quoted, integer, number, plain, quote

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Item = TypeVar("_Item")


class _Here(threading.local):
    """How a line ends in this thread: with the process and, except in its main thread, the thread.

    The process is always written, not only after a fork. Workers that a launcher starts by exec
    all emit the same epochs, and none of them can know that it is not alone.
    """

    def __init__(self) -> None:
        process, thread = os.getpid(), threading.get_native_id()
        self.tail = (
            f',"pid":{process}}}\n' if thread == process else f',"pid":{process},"tid":{thread}}}\n'
        )


_here = _Here()  # another object after each fork: by that a span knows whose it is
_quoted = Quoted()
_ids = itertools.count(1)
_file = -1
_write: Callable[[int, bytes], int] = os.write
_active = False
_left_out = 0


def start(path: str) -> None:
    """Open the file. Raises OSError where that fails; nothing else in this module raises."""
    global _file, _active
    # Without a reader a FIFO would block us here; with one it could still end the workload by SIGPIPE.
    opened = os.open(
        path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY, 0o666
    )
    if stat.S_ISFIFO(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "is a pipe, not a file", path)
    _file = _out_of_the_way(opened)
    _active = True
    os.register_at_fork(after_in_child=_forked)


def _out_of_the_way(opened: int) -> int:
    """The same file under a high number. A workload that closes and opens descriptors, or starts
    without stdout, then does not reuse the number for something else."""
    for lowest in (1000, 3):
        try:
            high = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, lowest)
        except OSError:
            continue  # above the limit of open files
        os.close(opened)
        return high
    return opened


def _forked() -> None:
    global _here
    _here = _Here()


def _swallow(file: int, line: bytes) -> int:
    return len(line)


def _warn(message: str) -> None:
    try:
        warnings.warn(f"prengdl: {message}", RuntimeWarning, stacklevel=4)
    except Exception:
        pass  # warnings are errors here; still not the workload's


def _stop(reason: object) -> None:
    """Stops writing for good, also for callers that hold our functions by name. Warns once."""
    global _write, _active
    if not _active:
        return
    _write, _active = _swallow, False
    _warn(f"no more events are told, cannot write PRENGDL_EVENTS: {reason}")


def _cut() -> None:
    """A disk that fills up takes the first part of a line: end it, so that it costs no other line."""
    try:
        os.write(_file, b"\n")
    except OSError:
        pass
    _stop("a line was cut, the disk may be full")


def _leave_out(what: str, value: object) -> None:
    global _left_out
    _left_out += 1
    if _left_out == 1:
        _warn(
            f"{what} of type {type(value).__name__} is left out, as are others like it: {_shown(value)}"
        )


def _shown(value: object) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return "no text"


def _tail(id: object) -> str:
    whole = integer(id)
    if whole is None:
        _leave_out("an id that is no integer", id)
        return _here.tail
    return f',"id":{whole}{_here.tail}'


def _rest(span: object, name: object, id: object) -> str:
    """What the two lines of a span share, also for names that cannot be keys."""
    tail = _here.tail if id is None else _tail(id)
    return f',"span":{_name(span)},"name":{_name(name)}{tail}'


def _name(name: object) -> str:
    return _quoted[name] if type(name) is str else quote(plain(name))


def _send(event: str, now: int, rest: str) -> None:
    try:
        line = f'{{"t":{now},"ev":"{event}"{rest}'.encode()
        if _write(_file, line) != len(line):
            _cut()
    except OSError as error:
        _stop(error)


def _tell(event: str, name: object, value: object, step: object) -> None:
    try:
        text = number(value)
        if text is None:
            return _leave_out(f"a value of the {event} {plain(name)[:80]!r}", value)
        if step is not None:
            whole = integer(step)
            if whole is None:
                _leave_out("a step that is no integer", step)
            else:
                text = f'{text},"step":{whole}'
        _send(event, _now(), f',"name":{_name(name)},"value":{text}{_here.tail}')
    except Exception as error:
        _stop(error)


def active() -> bool:
    """Whether events are being written."""
    return _active


def left_out() -> int:
    """How many values this process left out because JSON has no number for them."""
    return _left_out


def _send_odd(event: str, now: int, span: object, name: object, id: object) -> None:
    try:
        _send(event, now, _rest(span, name, id))
    except Exception as error:  # out of memory
        _stop(error)


# begin, end and Span repeat each other: that saves a call per event.


def begin(span: object, name: object = "", *, id: Optional[int] = None) -> None:
    """A span begins. An id distinguishes spans of the same name that overlap in one thread."""
    try:
        text = f'"{name}"' if type(name) is int else _quoted[name]
        tail = _here.tail if id is None else _tail(id)
        line = f'{{"t":{_now()},"ev":"begin","span":{_quoted[span]},"name":{text}{tail}'.encode()
        if _write(_file, line) != len(line):
            _cut()
    except OSError as error:
        _stop(error)
    except Exception:  # a name that cannot be a key
        _send_odd("begin", _now(), span, name, id)


def end(span: object, name: object = "", *, id: Optional[int] = None) -> None:
    """The span that last began with the same span, name and id in this thread ends."""
    now = _now()
    try:
        text = f'"{name}"' if type(name) is int else _quoted[name]
        tail = _here.tail if id is None else _tail(id)
        line = f'{{"t":{now},"ev":"end","span":{_quoted[span]},"name":{text}{tail}'.encode()
        if _write(_file, line) != len(line):
            _cut()
    except OSError as error:
        _stop(error)
    except Exception:
        _send_odd("end", now, span, name, id)


class Span:
    """`with prengdl.span("epoch", 1):` emits its begin and its end. It can be used again, but not by
    two threads at once. After a fork inside it, only the process that began it ends it."""

    __slots__ = ("_began", "_id", "_name", "_rest", "_span")

    def __init__(self, span: object, name: object = "", *, id: Optional[int] = None) -> None:
        self._span = span
        self._name = name
        self._id = id
        self._rest = ""
        self._began: Optional[_Here] = None

    def __enter__(self) -> "Span":
        try:
            name = self._name
            try:
                text = f'"{name}"' if type(name) is int else _quoted[name]
                tail = _here.tail if self._id is None else _tail(self._id)
                rest = f',"span":{_quoted[self._span]},"name":{text}{tail}'
            except Exception:
                rest = _rest(self._span, name, self._id)
            self._rest = rest
            self._began = _here
            line = f'{{"t":{_now()},"ev":"begin"{rest}'.encode()
            if _write(_file, line) != len(line):
                _cut()
        except Exception as error:
            _stop(error)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        now = _now()
        if self._began is not _here:
            return
        try:
            line = f'{{"t":{now},"ev":"end"{self._rest}'.encode()
            if _write(_file, line) != len(line):
                _cut()
        except Exception as failure:
            _stop(failure)


span = Span


def spanned(span: object, name: object = "") -> Callable[[_Function], _Function]:
    """Each call of the decorated function is a span. For a coroutine or a generator, that is the time
    from its first step to its last. It has an id, because several may be under way in one thread."""

    def wrap(function: _Function) -> _Function:
        wrapper: Callable[..., Any]
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                with Span(span, name, id=next(_ids)):
                    return await function(*args, **kwargs)

        elif inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with Span(span, name, id=next(_ids)):
                    return (yield from function(*args, **kwargs))

        else:

            @functools.wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with Span(span, name):
                    return function(*args, **kwargs)

        return cast(_Function, wrapper)

    return wrap


def spans(span: object, items: Iterable[_Item]) -> Iterator[_Item]:
    """Each turn of `for epoch in prengdl.spans("epoch", range(1, 11)):` is a span. Its name is the item
    if that is an integer or a string, otherwise the number of the turn, from 1. Fetching the next
    item is not part of it."""
    for turn, item in enumerate(items, 1):
        with Span(span, item if isinstance(item, (int, str)) else turn):
            yield item


def metric(name: object, value: Any, step: Optional[int] = None) -> None:
    """A figure of merit, such as the accuracy after a step. NaN and infinity are left out."""
    _tell("metric", name, value, step)


def work(name: object, value: Any) -> None:
    """Work done since the last such line of the same name: samples, tokens, requests."""
    _tell("work", name, value, None)


def fact(name: object, value: object) -> None:
    """What this run is, as text: a version, a batch size, a precision. The last value counts."""
    try:
        _send("fact", _now(), f',"name":{_name(name)},"value":{quote(plain(value))}{_here.tail}')
    except Exception as error:
        _stop(error)
