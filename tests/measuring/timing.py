"""What a piece of work costs the processor, told apart from what else goes on in the process."""

import gc
import time
from collections.abc import Callable

ATTEMPTS = 3


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the least that the work took in a few attempts, without the garbage collector.

    Its passes over all that other tests left behind would count as the work's own.
    """
    gc.collect()
    gc.disable()
    try:
        return min(_once(work) for _ in range(ATTEMPTS))
    finally:
        gc.enable()


def _once(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
