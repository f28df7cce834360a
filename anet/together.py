"""Running coroutines side by side, so that cancelling the whole cancels all and is not swallowed.

A `DeferredList` that is cancelled fires with the failures of its parts, and whoever awaits it
goes on; a task in a loop would then never end.
"""

from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from twisted.internet.defer import CancelledError, Deferred, FirstError, gatherResults

Result = TypeVar("Result")


async def together(
    coroutines: Iterable[Coroutine[Deferred[Any], Any, Result]],
) -> list[Result | Exception]:
    """Run all to their ends; return the result of each, or the exception it raised, in order."""
    running = [Deferred.fromCoroutine(_outcome(each)) for each in coroutines]
    try:
        return await gatherResults(running, consumeErrors=True)
    except FirstError:
        raise CancelledError from None  # nothing else comes out of `_outcome`


async def _outcome(
    coroutine: Coroutine[Deferred[Any], Any, Result],
) -> Result | Exception:
    try:
        return await coroutine
    except CancelledError:
        raise
    except Exception as error:
        return error
