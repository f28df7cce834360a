"""Sends captures to the storage nodes that are to record them."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import msgspec
from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.capture import Capture
from agents.storage.index.view import ClusterView
from agents.storage.status import NodeState
from anet.errors import AnetError, HttpError, TimedOut
from anet.http import HttpClient
from anet.together import together

_POST_LIMIT = 8 * 1024 * 1024  # bytes of heads in one request
_ANSWER_LIMIT = 64 * 1024

_log = Logger()


@define
class Share:
    """What one node is asked to record.

    Attributes:
        node: which.
        captures: what.
        sources: base URLs of nodes that hold structure files which this one lacks, by key.
    """

    node: NodeState
    captures: list[Capture] = field(factory=list)
    sources: dict[str, str] = field(factory=dict)


class _Damaged(HttpError):
    """A node is well and could not record all, because one of its files is damaged."""


class Posting:
    """Posts to `/structures` of storage nodes.

    Args:
        clock: for how long a node may take.
        view: told of nodes that do not answer.
        client: makes the requests.
        secret: which lets them in.
        timeout: seconds that a node may take.
    """

    def __init__(
        self,
        clock: IReactorTime,
        view: ClusterView,
        client: HttpClient,
        secret: str,
        timeout: float,
    ) -> None:
        self._clock, self._view, self._client, self._timeout = clock, view, client, timeout
        self._headers = (
            (b"Authorization", f"Bearer {secret}".encode()),
            (b"Content-Type", b"application/msgpack"),
        )

    async def post_all(self, shares: Mapping[str, Share]) -> set[str]:
        """Ask all nodes at once; return the names of those that acknowledged."""
        outcomes = await together(self._post_share(share) for share in shares.values())
        took = set()
        for name, outcome in zip(shares, outcomes, strict=True):
            if not isinstance(outcome, Exception):
                took.add(name)
                continue
            _log.warn("{node} did not record: {why}", node=name, why=outcome)
            if not isinstance(outcome, AnetError):
                raise outcome
            if not isinstance(outcome, _Damaged):
                self._view.suspect(name)
        return took

    async def _post_share(self, share: Share) -> None:
        batches = _batches(share.captures)
        bodies = [{"captures": batch, "sources": share.sources} for batch in batches]
        for outcome in await together(self._post(share.node, body) for body in bodies):
            if isinstance(outcome, Exception):
                raise outcome

    async def _post(self, node: NodeState, asked: dict[str, Any]) -> None:
        body = msgspec.msgpack.encode(asked)
        url = f"{node.status.url.rstrip('/')}/structures"
        posting = Deferred.fromCoroutine(self._client.request("POST", url, self._headers, body))
        response = await posting.addTimeout(self._timeout, self._clock, _timed_out)
        answer = await response.read(_ANSWER_LIMIT)
        status = response.head.status
        if status != 200:
            words = answer.decode("utf-8", "replace").strip()
            error = _Damaged if status == 500 else HttpError
            raise error(f"{node.name} answers {status}: {words[:300]}")


def _timed_out(_: object, seconds: float) -> NoReturn:
    raise TimedOut(f"no answer in {seconds:g} seconds")


def _batches(captures: Sequence[Capture]) -> list[list[Capture]]:
    """Return captures in portions that fit one request."""
    batches: list[list[Capture]] = [[]]
    size = 0
    for capture in captures:
        weight = 500 + len(capture.url) + len(capture.head) + 4 * len(capture.origin)
        if batches[-1] and size + weight > _POST_LIMIT:
            batches.append([])
            size = 0
        batches[-1].append(capture)
        size += weight
    return batches
