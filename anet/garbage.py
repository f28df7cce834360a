"""Python's garbage collector, in a process that runs for months."""

import gc

_YOUNG, _MIDDLE, _OLD = 20_000, 20, 20  # containers made, and collections of the younger ones


def settle() -> None:
    """Leave what a process has at its start out of all later collections, which come less often.

    Modules and classes live as long as the process: looking through them again and again is
    work for nothing, and a forked process that does it copies the pages it shares. What is
    made later lies in cycles seldom, and then a few megabytes of it may wait.
    """
    gc.freeze()  # without a collection before, which would cost a start tens of milliseconds
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
