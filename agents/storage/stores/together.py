"""Several things done at once."""

from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, DeferredList

_Result = TypeVar("_Result")


async def together(
    coroutines: Iterable[Coroutine[Deferred[Any], Any, _Result]],
) -> list[_Result]:
    """Run coroutines at once, wait for all of them, and return their results.

    Raises:
        Exception: the first that one of them raised, after all have ended.
    """
    running = [Deferred.fromCoroutine(each) for each in coroutines]
    try:
        outcomes: list[tuple[bool, Any]] = await DeferredList(running, consumeErrors=True)
    except BaseException:
        for each in running:
            each.cancel()
        raise
    for success, result in outcomes:
        if not success:
            result.raiseException()
    return [result for _, result in outcomes]
