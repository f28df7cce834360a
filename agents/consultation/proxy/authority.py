"""The archive's own authority, for the https:// URLs that browsers ask the proxy for.

A browser that asks for https://example.org/ wants a certificate of example.org. The archive makes
one, and signs it with the key of an authority that belongs to it alone, and that readers tell
their browsers to trust. Whoever has that key can pass for any web site before those readers; so it
is in a file that only the archive's owner can read, and is not that of the agents' certificates
(`hip certs`), which no browser trusts.

    ARCHIVE/authority.pem    its certificate, for ten years, and its key
"""

import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from attrs import frozen
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from agents.configuration.folder import private_folder
from agents.consultation.errors import AuthorityDamaged
from anet.certificates import certificate_builder, key_usage, named
from anet.durable import sync_path
from anet.names import literal

FILE = "authority.pem"  # in the archive's folder
LIFE = timedelta(days=3650)  # of an authority
LEAF_LIFE = timedelta(days=90)  # of a host's certificate; browsers take at most 398
SKEW = timedelta(days=1)  # that a reader's clock may be late


@frozen
class AuthorityOffer:
    """What readers are offered to trust.

    Attributes:
        name: of the authority, as browsers list it.
        fingerprint_sha256: of its certificate, as browsers show it: `AB:CD:…`.
        not_after: when it runs out.
        paths: where the harbor gives the certificate, and the proxy's automatic configuration.
    """

    name: str
    fingerprint_sha256: str
    not_after: datetime
    paths: tuple[str, ...]


@frozen
class Authority:
    """An authority with its key.

    Attributes:
        certificate: its own.
        key: its key.
    """

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def make(cls, name: str, now: datetime) -> "Authority":
        """Return a new authority."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = named(name)
        certificate = (
            certificate_builder(subject, subject, key.public_key(), now - SKEW, now + LIFE)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(key_usage(signs_certificates=True), critical=True)
            .sign(key, SHA256())
        )
        return cls(certificate, key)

    @property
    def name(self) -> str:
        """How browsers list it."""
        (attribute,) = self.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return str(attribute.value)

    def issue(
        self, host: str, public: ec.EllipticCurvePublicKey, now: datetime
    ) -> x509.Certificate:
        """Return a certificate of a host.

        Args:
            host: a name in ASCII, or an IP address without brackets.
            public: the key that will prove to be the host.
            now: the time.
        """
        until = min(now + LEAF_LIFE, self.certificate.not_valid_after_utc)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        names = x509.SubjectAlternativeName([_general_name(host)])
        return (
            certificate_builder(named(host), self.certificate.subject, public, now - SKEW, until)
            .add_extension(issuer, critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(key_usage(signs_certificates=False), critical=True)
            .add_extension(server, critical=False)
            .add_extension(names, critical=False)
            .sign(self.key, SHA256())
        )

    def offer(self, *paths: str) -> AuthorityOffer:
        """Return what readers are offered, at these paths of the harbor."""
        digest = self.certificate.fingerprint(SHA256()).hex(":").upper()
        return AuthorityOffer(self.name, digest, self.certificate.not_valid_after_utc, paths)


def authority_of(archive: Path, now: datetime | None = None) -> Authority:
    """Return the authority of an archive's folder, made now if there is none yet.

    Raises:
        AuthorityDamaged: what is there cannot be used; the message says what to do.
        OSError: the folder cannot be written.
    """
    now = now or datetime.now(UTC)
    path = private_folder(archive) / FILE
    if not path.exists():
        made = Authority.make(f"dlweb {archive.name} {secrets.token_hex(4)}", now)
        _write(path, made)
    return _read(path, now)  # of several who came at once, one has written it


def _read(path: Path, now: datetime) -> Authority:
    data = path.read_bytes()
    try:
        certificate, key = x509.load_pem_x509_certificate(data), load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion):
        raise AuthorityDamaged(
            f"{path} does not hold a certificate and its key: put them back, or remove the file to "
            "have another authority made, which readers must then trust anew"
        ) from None
    is_pair = certificate.public_key() == key.public_key()
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not is_pair:
        raise AuthorityDamaged(f"{path} holds a key that is not that of its certificate")
    if certificate.not_valid_after_utc <= now:
        raise AuthorityDamaged(
            f"{path} ran out on {certificate.not_valid_after_utc:%Y-%m-%d}: remove it to have "
            "another authority made, which readers must then trust anew"
        )
    return Authority(certificate, key)


def _write(path: Path, made: Authority) -> None:
    """Write a new authority, whole, unless somebody else was first."""
    key = made.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(made.certificate.public_bytes(Encoding.PEM) + key)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
        sync_path(path.parent)
    finally:
        draft.unlink()


def _general_name(host: str) -> x509.GeneralName:
    address = literal(host)
    return x509.DNSName(host) if address is None else x509.IPAddress(ip_address(address))
