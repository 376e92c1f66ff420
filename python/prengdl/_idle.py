# SPDX-License-Identifier: Apache-2.0
"""The package outside prengdl: the functions of _events, doing nothing at the least cost."""


class Span:
    __slots__ = ()

    def __init__(self, span, name="", *, id=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        pass


_span = Span("")


def active():
    return False


def left_out():
    return 0


def begin(span, name="", *, id=None):
    pass


def end(span, name="", *, id=None):
    pass


def span(span, name="", *, id=None):
    return _span


def spanned(span, name=""):
    return _unchanged


def _unchanged(function):
    return function


def spans(span, items):
    return iter(items)


def metric(name, value, step=None):
    pass


def work(name, value):
    pass


def fact(name, value):
    pass
