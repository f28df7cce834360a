"""Certificates and revocation lists, made without I/O.

Keys are on the curve P-256, which every TLS 1.2 knows.
"""

import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from ipaddress import ip_address

from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from anet.certificates import certificate_builder, key_usage, named
from hip.certificates.errors import CertificateError
from hip.security.roles import Identity

DAYS = 365  # that a certificate is good, and a revocation list
LIFE = timedelta(days=3650)  # of an authority
_SKEW = timedelta(hours=1)  # that a clock elsewhere may be late
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def new_key() -> ec.EllipticCurvePrivateKey:
    """Return a new key."""
    return ec.generate_private_key(ec.SECP256R1())


def host_name(text: str) -> x509.GeneralName:
    """Return how a certificate names a host.

    Raises:
        CertificateError: the text is neither a name nor an IP address.
    """
    try:
        return x509.IPAddress(ip_address(text.removeprefix("[").removesuffix("]")))
    except ValueError:
        pass
    if not _HOST.fullmatch(text):
        raise CertificateError(f"{text[:80]!r} is no host: write a name in ASCII or an IP address")
    return x509.DNSName(text)


def check_days(days: int) -> None:
    """Check for how long a certificate is to be good.

    Raises:
        CertificateError: nothing is good for so many days.
    """
    if not 0 < days <= LIFE.days:
        raise CertificateError(f"a certificate is good for 1 to {LIFE.days} days")


def hosts_of(certificate: x509.Certificate) -> list[str]:
    """Return the names and addresses of hosts that a certificate is for."""
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = names.get_values_for_type(x509.IPAddress)
    return [*names.get_values_for_type(x509.DNSName), *map(str, addresses)]


@frozen
class Signer:
    """An authority with its key.

    Attributes:
        certificate: its own.
        key: its key.
        now: the time of what it signs.
    """

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    now: datetime

    @classmethod
    def new(cls, now: datetime) -> "Signer":
        """Return a new authority, good for ten years."""
        key, name = new_key(), named(f"HIP authority {secrets.token_hex(4)}")
        certificate = (
            certificate_builder(name, name, key.public_key(), now - _SKEW, now + LIFE)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(key_usage(signs_certificates=True), critical=True)
            .sign(key, SHA256())
        )
        return cls(certificate, key, now)

    def issue(
        self,
        identity: Identity,
        hosts: Iterable[x509.GeneralName],
        public: ec.EllipticCurvePublicKey,
        days: int,
    ) -> x509.Certificate:
        """Return a certificate of an agent."""
        until = min(self.now + timedelta(days=days), self.certificate.not_valid_after_utc)
        hosts = list(hosts)
        names = [*map(x509.UniformResourceIdentifier, identity.uris), *hosts]
        # Only a certificate that names hosts can be a master's: a slave's cannot pose as one.
        server = [ExtendedKeyUsageOID.SERVER_AUTH] if hosts else []
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        return (
            certificate_builder(
                named(identity.name), self.certificate.subject, public, self.now, until
            )
            .add_extension(issuer, critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(key_usage(signs_certificates=False), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH, *server]), critical=False
            )
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(self.key, SHA256())
        )

    def list_revoked(
        self, revoked: Iterable[x509.RevokedCertificate], more: Iterable[x509.Certificate]
    ) -> bytes:
        """Return a revocation list in PEM.

        Args:
            revoked: what is on it already.
            more: certificates that are revoked now.
        """
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self.certificate.subject)
            .last_update(self.now - _SKEW)
            .next_update(self.now + timedelta(days=DAYS))
        )
        for known in revoked:
            builder = builder.add_revoked_certificate(known)
        for certificate in more:
            builder = builder.add_revoked_certificate(
                x509.RevokedCertificateBuilder()
                .serial_number(certificate.serial_number)
                .revocation_date(self.now)
                .build()
            )
        return builder.sign(self.key, SHA256()).public_bytes(Encoding.PEM)
