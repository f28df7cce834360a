"""From a request to the answer of the live web (docs/decisions/0044).

Nothing reaches the live web but by here, and nothing comes here but for a reader who has chosen
it, where the operator allows it.
"""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.application.service import MultiService
from twisted.logger import Logger

from agents.collected import Exchange, Recording
from agents.consultation.asked import Asked
from agents.consultation.errors import Faulted
from agents.consultation.faults import fault
from agents.consultation.faults.contents import fault_answer
from agents.consultation.faults.fault import Fault
from agents.consultation.live.keeping import why_not_kept
from agents.consultation.live.passing import (
    MARK,
    answer_fields,
    answer_head,
    body_length,
    request_fields,
)
from agents.consultation.live.recorder import Recorder
from agents.consultation.live.upload import Upload
from agents.consultation.lookup.contents import Pieces
from agents.consultation.readers.cookies import without_ours
from agents.origin import lines_of_reader
from agents.posted import posted_url
from anet.clock import wall
from anet.errors import AnetError, BodyTooLarge, ForbiddenAddress, Overloaded, TimedOut
from anet.http import ClientResponse, Headers, HttpClient, Request, Response
from anet.workers import Workers

REQUEST_LIMIT = 256 * 2**20  # bytes of what a reader sends

_log = Logger()


class Live(MultiService):
    """Answers from the live web.

    Args:
        reactor: which reactor.
        client: asks it; permits the addresses that may be asked, and no others.
        folder: where what readers send lies for a moment.
        recorder: keeps what passes; None where it is only read.
        at_once: answers under way, of all readers together.
        timeout: seconds of silence that `client` gives a server, for words.
        size: bytes of one answer that are passed on.
        private: whether what is personal is kept, too.

    Attributes:
        under_way: answers that are.
        on_piece: called with the size of each piece that is given.
    """

    def __init__(
        self,
        reactor: Any,
        client: HttpClient,
        folder: Path,
        recorder: Recorder | None = None,
        *,
        at_once: int = 64,
        timeout: float = 60.0,
        size: int = 2**31,
        private: bool = False,
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.under_way = 0
        self.on_piece: Callable[[int], None] = lambda _: None
        self._reactor, self._client, self._folder = reactor, client, folder
        self._workers = Workers(reactor, 1, name="live uploads")
        self._at_once, self._timeout, self._size = at_once, timeout, size
        self._private = private
        for service in (client, recorder, self._workers):
            if service is not None:
                service.setServiceParent(self)

    def status(self) -> dict[str, Any]:
        """Tell what is under way and what is kept, for people."""
        told: dict[str, Any] = {"under_way": self.under_way, "records": self.recorder is not None}
        if self.recorder is not None:
            recorder = self.recorder
            told |= {"kept": recorder.kept, "left_out": dict(recorder.left_out)}
            told |= {"directories_waiting": recorder.waiting, "problem": recorder.problem}
        return told

    async def answer(self, request: Request, asked: Asked) -> Response:
        """Return what the live web answers; a fault says why there is nothing."""
        url = asked.url
        if self.under_way >= self._at_once:
            return self._fault(request, fault.live_busy(url))
        self.under_way += 1
        try:
            return await self._ask(request, url)
        except BaseException as error:
            self.under_way -= 1
            if isinstance(error, Faulted):
                return self._fault(request, error.fault)
            if isinstance(error, AnetError | OSError):
                return self._fault(request, self._fault_of(url, error))
            raise

    async def _ask(self, request: Request, url: str) -> Response:
        headers = without_ours(request.headers)
        fields = request_fields(headers, whole=self.recorder is not None)
        upload = Upload(self._workers, self._folder, REQUEST_LIMIT)
        try:
            body = await upload.take(request)
            date = wall(self._reactor)
            response = await self._client.request(request.method, url, fields, body)
        finally:
            upload.close()
        self._refuse_long(request.method, url, response)
        exchange = self._exchange(request, url, upload, response, date)
        recording = self._recording(request.method, headers, response)
        passage = _Passage(self, Pieces(response), self._size, exchange, recording)
        return self._response(request, response, passage)

    def _refuse_long(self, method: str, url: str, response: ClientResponse) -> None:
        """Refuse an answer that says itself that it would be broken off.

        Raises:
            Faulted: it does.
        """
        length = body_length(response.head)
        if method != "HEAD" and length is not None and length > self._size:
            response.abandon()
            raise Faulted(fault.live_too_long(url, length, self._size))

    def _exchange(
        self, request: Request, url: str, upload: Upload, response: ClientResponse, date: float
    ) -> Exchange:
        method, kind = request.method, request.headers.text(b"content-type")
        return Exchange(
            posted_url(url, method, kind, upload.first),
            response.head,
            response.address,
            date,
            method,
            response.tls,
            lines_of_reader(response.sent, upload.whole),
        )

    def _recording(
        self, method: str, headers: Headers, response: ClientResponse
    ) -> Recording | None:
        """Return what takes the body, where the answer is to be kept."""
        if self.recorder is None:
            return None
        reason = why_not_kept(method, headers, response.head, self._private)
        if reason:
            self.recorder.left_out[reason] += 1
            return None
        return self.recorder.begin()

    def _response(
        self, request: Request, response: ClientResponse, passage: "_Passage"
    ) -> Response:
        head = answer_head(response.head)
        fields = answer_fields(request.headers.text(b"user-agent").startswith("Mozilla/"))
        length = body_length(response.head)
        return Response(response.head.status, fields, passage, raw_head=head, length=length)

    def _fault(self, request: Request, told: Fault) -> Response:
        answer = fault_answer(request, told)
        return Response(answer.status, [*answer.headers, MARK], answer.body)

    def _fault_of(self, url: str, error: AnetError | OSError) -> Fault:
        if isinstance(error, ForbiddenAddress):
            return fault.live_forbidden(url)
        if isinstance(error, TimedOut):
            return fault.live_slow(url, self._timeout)
        if isinstance(error, BodyTooLarge):
            return fault.live_too_large(url, REQUEST_LIMIT)
        if isinstance(error, Overloaded):
            return fault.live_busy(url)
        return fault.live_unreachable(url, str(error))


@define(eq=False)
class _Passage:
    """A body on its way from the live web to a reader, and to the archive if it is kept."""

    live: Live
    pieces: Pieces
    left: int
    exchange: Exchange
    recording: Recording | None
    _closed: bool = field(default=False, init=False)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        """Return the next piece.

        Raises:
            HttpError: the rest does not come, or is more than may pass.
        """
        try:
            piece = await self.pieces.next()
            self.left -= len(piece)
            if self.left < 0:
                raise BodyTooLarge("an answer of the live web is larger than may pass")
        except BaseException:
            self.close()
            raise
        if not piece:
            self._end()
            raise StopAsyncIteration
        if self.recording is not None:
            self.recording.write(piece)
        self.live.on_piece(len(piece))
        return piece

    async def aclose(self) -> None:
        """Let go of the server; what the reader has not taken is not kept either."""
        self.close()

    def close(self) -> None:
        """Let go of the server, and of what was recorded."""
        if not self._closed:
            self._closed = True
            self.live.under_way -= 1
            self.pieces.close()
            if self.recording is not None:
                self.recording.release()
                if self.live.recorder is not None:
                    self.live.recorder.left_out["not whole"] += 1

    def _end(self) -> None:
        """Keep what has passed whole."""
        recording, self.recording = self.recording, None
        if recording is not None and self.live.recorder is not None:
            self.live.recorder.keep(self.exchange, recording)
        self.close()
