"""Several things done at once, the first error raised once all have ended."""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, DeferredLock, DeferredSemaphore

from agents.storage.batcher import Batcher
from agents.storage.stores.interface import Given
from anet.together import together as outcomes_of

_BATCH = 64  # contents that a store is given at once
_WAITING = 1000  # contents

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


async def outcomes_of_each(
    items: Sequence[_Item], action: Callable[[_Item], Awaitable[_Result]], at_once: int
) -> list[_Result | Exception]:
    """Do something with each item, `at_once` at once; return results and exceptions in order."""
    turns = DeferredSemaphore(at_once)

    async def one(item: _Item) -> _Result:
        await turns.acquire()
        try:
            return await action(item)
        finally:
            turns.release()

    return await outcomes_of(one(item) for item in items)


def putting(store: Any) -> Batcher[Given]:
    """Return what gathers contents for an `IStore` while it stores those that came before.

    How many may wait is for those to limit who wait for them.
    """
    return Batcher(
        lambda contents: store.put_all(contents), batch_limit=_BATCH, waiting_limit=_WAITING
    )


async def in_rounds(
    contents: Sequence[Given],
    put: Callable[[Sequence[Given]], Awaitable[list[bool | Exception]]],
) -> list[bool | Exception]:
    """Put contents, of those with the same key one after another until one is stored."""
    outcomes: dict[int, bool | Exception] = {}
    left = list(range(len(contents)))
    while left:
        first: dict[str, int] = {}
        for index in left:
            first.setdefault(contents[index][0], index)
        found = await put([contents[index] for index in first.values()])
        outcomes.update(zip(first.values(), found, strict=True))
        for index in left:
            if isinstance(outcomes[first[contents[index][0]]], bool):
                outcomes.setdefault(index, False)
        left = [index for index in left if index not in outcomes]
    return [outcomes[index] for index in range(len(contents))]
