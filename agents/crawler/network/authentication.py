"""HTTP authentication with the names and passwords of an order: Basic and Digest.

RFC 7617 and RFC 7616. A password goes to the host it was given for and to no other, and only after
that host has asked for it.
"""

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import md5, sha256
from secrets import token_hex
from urllib.request import parse_http_list

from attrs import define, frozen

from agents import urls
from agents.order import Credential
from anet.http import ResponseHead

_LONGEST = 4096  # characters of a challenge that are read
_SCHEME = re.compile(r"(?:^|,)\s*(basic|digest)\s+(?=[\w-]+\s*=)", re.IGNORECASE)
_HASHES: dict[str, Callable[[bytes], str]] = {
    "sha-256": lambda data: sha256(data).hexdigest(),
    "md5": lambda data: md5(data, usedforsecurity=False).hexdigest(),
}  # the best first


@frozen
class Challenge:
    """What a server wants to be told.

    Attributes:
        scheme: `basic` or `digest`.
        realm: what the password is for.
        nonce: of a digest, to be mixed in.
        opaque: of a digest, to be given back.
        algorithm: of a digest, in small letters.
        qop: whether a digest counts its requests.
        stale: whether a digest was right but for the age of its nonce.
    """

    scheme: str
    realm: str = ""
    nonce: str = ""
    opaque: str = ""
    algorithm: str = "md5"
    qop: bool = False
    stale: bool = False

    @property
    def rank(self) -> int:
        """How well it keeps a password, the best first."""
        if self.scheme == "basic":
            return len(_HASHES)
        return list(_HASHES).index(self.algorithm.removesuffix("-sess"))


def challenges(head: ResponseHead) -> list[Challenge]:
    """Return the challenges of an answer that we can meet, the best first."""
    found = []
    for value in head.headers.get_all(b"www-authenticate"):
        text = value.decode("latin-1")[:_LONGEST]
        starts = list(_SCHEME.finditer(text))
        ends = [*(each.start() for each in starts[1:]), len(text)]
        for start, end in zip(starts, ends, strict=False):  # none gives none
            challenge = _challenge(start[1].lower(), text[start.end() : end])
            found += [] if challenge is None else [challenge]
    return sorted(found, key=lambda each: each.rank)


def _challenge(scheme: str, text: str) -> Challenge | None:
    words: dict[str, str] = {}
    for item in parse_http_list(text):
        name, _, value = item.partition("=")
        words[name.strip().lower()] = value.strip().removeprefix('"').removesuffix('"')
    algorithm = words.get("algorithm", "md5").lower()
    ways = [each.strip() for each in words.get("qop", "").split(",")]
    if scheme == "digest":
        known = algorithm.removesuffix("-sess") in _HASHES
        if not known or "nonce" not in words or (words.get("qop") and "auth" not in ways):
            return None
    return Challenge(
        scheme,
        words.get("realm", ""),
        words.get("nonce", ""),
        words.get("opaque", ""),
        algorithm,
        "auth" in ways,
        words.get("stale", "").lower() == "true",
    )


@define
class _Login:
    """How a server was told who we are."""

    credential: Credential
    challenge: Challenge
    uses: int = 0
    worked: bool = False


class Logins:
    """Tells servers who we are, as they ask.

    Args:
        credentials: of the order.
    """

    def __init__(self, credentials: tuple[Credential, ...]) -> None:
        self._credentials = credentials
        self._logins: dict[str, _Login] = {}  # by the beginning of URLs; as many as credentials
        self._refused: set[tuple[str, str]] = set()  # beginnings of URLs, realms

    def field(self, method: str, url: str) -> bytes:
        """Return the `Authorization` field of a request, or nothing."""
        login = self._logins.get(_server(url))
        if login is None:
            return b""
        login.uses += 1
        credential, challenge = login.credential, login.challenge
        if challenge.scheme == "basic":
            pair = f"{credential.user}:{credential.password}".encode()
            return b"Basic " + b64encode(pair)
        target = urls.target(url)
        return digest(credential, challenge, method, target, login.uses, token_hex(16)).encode()

    def challenged(self, url: str, head: ResponseHead) -> bool:
        """Note an answer; tell whether to ask again, because it wants to be told who we are.

        A password that was refused is not sent again; one that was taken before is, when the
        server mixes in something new.
        """
        server = _server(url)
        told = self._logins.get(server)
        if head.status != 401:
            if told is not None:
                told.worked = True
            return False
        for challenge in challenges(head):
            credential = self._credential(url, challenge.realm)
            if credential is None or (server, challenge.realm) in self._refused:
                continue
            if told is not None and told.uses and not _asks_anew(told, challenge):
                if not told.worked:
                    self._refused.add((server, told.challenge.realm))
                    del self._logins[server]
                return False
            self._logins[server] = _Login(credential, challenge)
            return True
        return False

    def _credential(self, url: str, realm: str) -> Credential | None:
        authority = urls.authority(url).lower()
        for credential in self._credentials:
            if credential.host.lower() == authority and credential.realm in ("", realm):
                return credential
        return None


def _asks_anew(told: _Login, challenge: Challenge) -> bool:
    """Tell whether a challenge can be met better than it was."""
    if (challenge.scheme, challenge.realm) != (told.challenge.scheme, told.challenge.realm):
        return True
    return (challenge.stale or told.worked) and challenge.nonce != told.challenge.nonce


def digest(
    credential: Credential,
    challenge: Challenge,
    method: str,
    target: str,
    count: int,
    own_nonce: str,
) -> str:
    """Return a Digest as RFC 7616 §3.4 computes it."""
    hashed = _HASHES[challenge.algorithm.removesuffix("-sess")]

    def mixed(*parts: str) -> str:
        return hashed(":".join(parts).encode())

    secret = mixed(credential.user, challenge.realm, credential.password)
    if challenge.algorithm.endswith("-sess"):
        secret = mixed(secret, challenge.nonce, own_nonce)
    what = mixed(method, target)
    uses = f"{count:08x}"
    words = {
        "username": _quoted(credential.user),
        "realm": _quoted(challenge.realm),
        "nonce": _quoted(challenge.nonce),
        "uri": _quoted(target),
        "algorithm": challenge.algorithm.upper().replace("-SESS", "-sess"),
    }
    if challenge.qop:
        response = mixed(secret, challenge.nonce, uses, own_nonce, "auth", what)
        words |= {"qop": "auth", "nc": uses, "cnonce": _quoted(own_nonce)}
    else:
        response = mixed(secret, challenge.nonce, what)
    words["response"] = _quoted(response)
    if challenge.opaque:
        words["opaque"] = _quoted(challenge.opaque)
    return "Digest " + ", ".join(f"{name}={value}" for name, value in words.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(each for each in escaped if each.isprintable())}"'


def _server(url: str) -> str:
    """Return scheme, host and port of a canonical URL."""
    return url[: url.index("/", 8)]
