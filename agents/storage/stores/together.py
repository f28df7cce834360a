"""Several things done at once, the first error raised once all have ended."""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, DeferredLock

from agents.storage.stores.interface import Given
from anet.together import together as outcomes_of

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


async def together(
    coroutines: Iterable[Coroutine[Deferred[Any], Any, _Result]],
) -> list[_Result]:
    """Run coroutines at once, and return their results.

    Raises:
        Exception: the first that one of them raised, after all have ended.
    """
    results: list[_Result] = []
    outcomes = await outcomes_of(coroutines)
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome
        results.append(outcome)
    return results


async def for_each(
    items: AsyncIterator[_Item], action: Callable[[_Item], Awaitable[None]], at_once: int
) -> None:
    """Do something with each item, `at_once` at once; an error ends it after those begun.

    Raises:
        Exception: the first that an action, or the iterator, raised.
    """
    turn = DeferredLock()
    failed = False

    async def work() -> None:
        nonlocal failed
        try:
            while not failed:
                await turn.acquire()
                try:
                    item = await anext(items)
                except StopAsyncIteration:
                    return
                finally:
                    turn.release()
                await action(item)
        except Exception:
            failed = True
            raise

    await together(work() for _ in range(at_once))


async def put_each(store: Any, contents: Sequence[Given]) -> list[bool | Exception]:
    """Put contents into an `IStore` one after another."""
    outcomes: list[bool | Exception] = []
    for key, body in contents:
        held = bytes(body) if isinstance(body, memoryview) else body
        outcomes += await outcomes_of([store.put(key, held)])
    return outcomes
