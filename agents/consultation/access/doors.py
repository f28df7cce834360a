"""Who a request comes from, and whether they are let in.

Whoever asks from this machine is. Anyone else shows a credential (RFC 7617): to the proxy in
`Proxy-Authorization`, elsewhere in `Authorization`. It is taken off the request at the door, so
that nothing behind it can write it down or send it on.
"""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Awaitable, Callable, Collection
from functools import lru_cache
from math import ceil

from attrs import evolve

from agents.consultation.access.keys import Keys
from agents.consultation.config import Asking
from agents.consultation.errors import Faulted
from agents.consultation.faults.contents import fault_answer
from agents.consultation.faults.fault import Fault
from agents.consultation.readers.reader import Reader
from anet.address import is_loopback
from anet.errors import Overloaded
from anet.http import Headers, Request, Response

Handler = Callable[[Request], Awaitable[Response]]

_CHALLENGE = b'Basic realm="web archive", charset="UTF-8"'
_FIELD_LIMIT = 2000  # bytes of a credential
_is_local = lru_cache(1000)(is_loopback)


class Doors:
    """Lets readers in.

    Args:
        keys: tell who has which credential; None where nobody has one.
        asking: from whom a credential is asked: from all that are not on this machine, from
            everybody, or from nobody.
        refused: called with each request that is not let in.
    """

    def __init__(
        self,
        keys: Keys | None = None,
        asking: Asking = "beyond-loopback",
        refused: Callable[[Request], object] = lambda _: None,
    ) -> None:
        self._keys = keys
        self._asking = asking
        self._refused = refused

    def admit(self, request: Request) -> Reader:
        """Return who asks, and note it in `request.asker`; whoever was let in before is.

        Raises:
            Faulted: they are not let in; the fault says what they lack.
        """
        if request.asker is None:
            if self._asks(request):
                raise Faulted(no_credential(request))
            request.asker = Reader(request.client, request.client)
        reader: Reader = request.asker
        return reader

    def guarded(self, handler: Handler, open_paths: Collection[str] = ()) -> Handler:
        """Return a handler before which every reader is asked for what they must show.

        Args:
            handler: answers who is let in.
            open_paths: what everybody may ask for, as for the authority's certificate.
        """

        async def answer(request: Request) -> Response:
            try:
                if request.path not in open_paths:
                    await self.enter(request)
            except Faulted as error:
                self._refused(request)
                return refusal(request, error.fault)
            return await handler(request)

        return answer

    async def enter(self, request: Request) -> Reader:
        """Let a reader in by their credential, if they show one, or as `admit` does.

        Raises:
            Faulted: they are not let in.
        """
        shown = _take_off(request)
        keys = self._keys
        if request.asker is not None:
            return await self._again(request)
        if shown is None or keys is None or self._asking == "none":
            return self.admit(request)
        await keys.refresh()
        name, password = shown
        right = keys.remembered(name, password)
        if right is None:
            right = await self._try(keys, request, name, password)
        if not right:
            raise Faulted(no_credential(request))
        request.asker = reader = Reader(name, request.client, name)
        return reader

    async def _again(self, request: Request) -> Reader:
        """Let in who is in a tunnel, unless they have lost their credential since."""
        reader: Reader = request.asker
        if reader.name and self._keys is not None:
            await self._keys.refresh()
            if reader.name not in self._keys:
                raise Faulted(no_credential(request))
        return reader

    async def _try(self, keys: Keys, request: Request, name: str, password: bytes) -> bool:
        wait = keys.guesses.wait(request.client, keys.now())
        if wait:
            raise Faulted(too_many_guesses(wait))
        try:
            return await keys.tried(name, password, request.client)
        except Overloaded:
            raise Faulted(too_many_guesses(1.0)) from None

    def _asks(self, request: Request) -> bool:
        if self._asking == "none":
            return False
        return self._asking == "always" or not _is_local(request.client)


def no_credential(request: Request) -> Fault:
    """Return the fault of whoever has to show a credential."""
    return Fault(
        407 if _is_for_proxy(request) else 401,
        "credential-needed",
        "Who reads?",
        "This archive is read with a name and a password, which its operator gives.",
    )


def too_many_guesses(wait: float) -> Fault:
    """Return the fault of whoever has guessed too often."""
    return Fault(
        429,
        "too-many-guesses",
        "Too many wrong passwords",
        f"From this address no other is tried now. Wait {ceil(wait)} seconds.",
    )


def refusal(request: Request, fault: Fault) -> Response:
    """Return the answer to whoever is not let in."""
    answer = fault_answer(request, fault)
    challenges = {401: b"WWW-Authenticate", 407: b"Proxy-Authenticate"}
    if fault.status not in challenges:
        return answer
    return evolve(answer, headers=[*answer.headers, (challenges[fault.status], _CHALLENGE)])


def _is_for_proxy(request: Request) -> bool:
    return request.method == "CONNECT" or not request.target.startswith("/")


def _take_off(request: Request) -> tuple[str, bytes] | None:
    """Take the credential for the archive off a request; return its name and password."""
    field = b"proxy-authorization" if _is_for_proxy(request) else b"authorization"
    shown = request.headers.get_all(field)
    if not shown:
        return None
    kept = [(name, value) for name, value in request.headers if name.lower() != field]
    request.headers = Headers(kept)
    return read_basic(shown[0]) if len(shown) == 1 else None


def read_basic(field: bytes) -> tuple[str, bytes] | None:
    """Return name and password of a credential; None when it is of no form known here."""
    scheme, _, coded = field.partition(b" ")
    if scheme.lower() != b"basic" or len(coded) > _FIELD_LIMIT:
        return None
    try:
        name, colon, password = b64decode(coded.strip(), validate=True).partition(b":")
        return (name.decode(), password) if colon else None
    except (NotBase64, UnicodeDecodeError):
        return None
