"""The files of an agent's certificate as they are now, and what OpenSSL makes of them.

They are read again when they have changed: a certificate that is renewed and a revocation list
that arrives count from the next handshake on, with no restart. They are a few small files on a
local disk, so reading them in the reactor costs less than a hand-over to a thread would.
"""

import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import frozen
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from OpenSSL import SSL
from OpenSSL.crypto import X509, Error, X509StoreFlags

from hip.errors import CredentialsRefused, NotTrusted
from hip.security.roles import Identity
from hip.security.settings import Security

SIZE_LIMIT = 16 * 1024 * 1024  # bytes of a file; a revocation takes some forty
_UNREADABLE = (  # a passphrase makes a TypeError
    ValueError,
    TypeError,
    x509.InvalidVersion,
    UnsupportedAlgorithm,
)
CHAIN = 1  # certificates between an agent's and its authority's; ours have none
_OPTIONS = (
    SSL.OP_NO_COMPRESSION
    | SSL.OP_NO_RENEGOTIATION
    | SSL.OP_NO_TICKET
    | SSL.OP_CIPHER_SERVER_PREFERENCE
)
_CIPHERS = b"ECDHE+AESGCM:ECDHE+CHACHA20"  # of TLS 1.2; those of 1.3 are all good


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@frozen(eq=False)
class Loaded:
    """What the files of an agent say.

    Attributes:
        certificate: the agent's own.
        identity: whom it is for.
        revoked: serial numbers of the certificates that count no longer.
        listed_until: when the revocation list runs out; None without one.
        context: makes TLS connections, either way.
    """

    certificate: x509.Certificate
    identity: Identity
    revoked: frozenset[int]
    listed_until: datetime | None
    context: SSL.Context


class Credentials:
    """The files that a `Security` names.

    Args:
        security: which files.
        verified: asked by OpenSSL of each certificate of a peer, as `SSL.Context.set_verify` says.
        now: the time.
    """

    def __init__(
        self,
        security: Security,
        verified: Callable[..., bool],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._security, self._verified, self._now = security, verified, now
        named = (security.certificate, security.key, security.authority, security.revoked)
        self._paths = [path for path in named if path is not None]
        self._stamps: list[tuple[int, ...]] = []
        self._loaded: Loaded | None = None

    def current(self) -> Loaded:
        """Return what the files say now.

        Raises:
            CredentialsRefused: one is missing, unusable, or has run out; the message says which,
                and what to do.
        """
        stamps = [_stamp(path) for path in self._paths]
        if self._loaded is None or stamps != self._stamps:
            self._loaded = None  # what is half changed is not used
            self._loaded, self._stamps = self._load(), stamps
        self._check_times(self._loaded)
        return self._loaded

    def _load(self) -> Loaded:
        security = self._security
        assert security.certificate and security.key and security.authority
        certificate = _parse(security.certificate, x509.load_pem_x509_certificate, "certificate")
        authority = _parse(security.authority, x509.load_pem_x509_certificate, "certificate")
        key = _parse(security.key, lambda data: load_pem_private_key(data, None), "private key")
        _check_private(security.key)
        revocations = None
        if security.revoked is not None:
            revocations = _parse(security.revoked, x509.load_pem_x509_crl, "revocation list")
            if not _is_signed(revocations, authority):
                raise CredentialsRefused(
                    f"{security.revoked} is not signed by the authority {security.authority}"
                )
        try:
            context = self._context(certificate, key, authority, revocations)
        except Error:
            raise CredentialsRefused(
                f"OpenSSL cannot use {security.certificate} or {security.authority}"
            ) from None
        return Loaded(
            certificate=certificate,
            identity=_own_identity(security.certificate, certificate),
            revoked=frozenset(each.serial_number for each in revocations or ()),
            listed_until=revocations.next_update_utc if revocations is not None else None,
            context=context,
        )

    def _context(
        self,
        certificate: x509.Certificate,
        key: PrivateKeyTypes,
        authority: x509.Certificate,
        revocations: x509.CertificateRevocationList | None,
    ) -> SSL.Context:
        context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_2_VERSION)
        context.set_options(_OPTIONS)
        context.set_mode(SSL.MODE_RELEASE_BUFFERS)  # links are many, and mostly idle
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        context.set_cipher_list(_CIPHERS)
        context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, self._verified)
        context.set_verify_depth(CHAIN)
        store = context.get_cert_store()
        assert store is not None
        store.add_cert(X509.from_cryptography(authority))  # and no other: not the system's
        context.add_client_ca(authority)  # so that a browser does not offer certificates of others
        if revocations is not None:
            store.add_crl(revocations)
            store.set_flags(X509StoreFlags.CRL_CHECK)
        try:
            context.use_certificate(certificate)
            context.use_privatekey(key)  # type: ignore[arg-type]  # any key that TLS knows
            context.check_privatekey()
        except (SSL.Error, TypeError):
            raise CredentialsRefused(
                f"{self._security.key} is not the key of {self._security.certificate}"
            ) from None
        return context

    def _check_times(self, loaded: Loaded) -> None:
        now = self._now()
        if loaded.certificate.not_valid_after_utc <= now:
            raise CredentialsRefused(
                f"{self._security.certificate} ran out on "
                f"{loaded.certificate.not_valid_after_utc:%Y-%m-%d}: run `hip certs renew` where "
                "the authority is, and copy it here"
            )
        if loaded.listed_until is not None and loaded.listed_until <= now:
            raise CredentialsRefused(
                f"{self._security.revoked} ran out on {loaded.listed_until:%Y-%m-%d}: run `hip "
                "certs renew` where the authority is, and copy it here"
            )


def _own_identity(path: Path, certificate: x509.Certificate) -> Identity:
    try:
        return Identity.of(certificate)
    except NotTrusted as error:
        raise CredentialsRefused(f"{path}: {error}") from None


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError as error:
        raise CredentialsRefused(_unreadable(path, error)) from None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _parse(path: Path, parse: Callable[[bytes], Any], what: str) -> Any:
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT)
    except OSError as error:
        raise CredentialsRefused(_unreadable(path, error)) from None
    try:
        return parse(data)
    except _UNREADABLE:
        raise CredentialsRefused(
            f"{path} holds no {what} in PEM, or one with a passphrase"
        ) from None


def _check_private(key: Path) -> None:
    if key.stat().st_mode & stat.S_IROTH:
        raise CredentialsRefused(f"{key} can be read by every user of this machine: chmod 600 it")


def _unreadable(path: Path, error: OSError) -> str:
    return (
        f"{path}: {error.strerror}; `hip certs create` makes the files of an agent, "
        "`hip certs renew` the revocation list"
    )


def _is_signed(revocations: x509.CertificateRevocationList, by: x509.Certificate) -> bool:
    try:
        return revocations.is_signature_valid(by.public_key())  # type: ignore[arg-type]
    except _UNREADABLE:  # its key, or it signs nothing
        return False
