"""A private authority in a folder: it makes, renews and revokes the certificates of agents.

    authority/certificate.pem    the authority, for ten years
    authority/key.pem            its key: whoever has it can be any agent
    authority/revoked.pem        its revocation list
    authority/issued/            each certificate ever made, as NAME.SERIAL.pem
    NAME/                        what the agent of that name needs, ready to be copied:
        certificate.pem  key.pem  authority.pem  revoked.pem

Keys are on the curve P-256, which every TLS 1.2 knows. A key is never written over.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from hip.errors import HipError, NotTrusted
from hip.security.roles import Identity
from hip.security.settings import AUTHORITY, CERTIFICATE, KEY, REVOKED

FOLDER = "authority"  # no agent may have this name
DAYS = 365  # that a certificate is good, and a revocation list
SOON = timedelta(days=30)  # what runs out within it is renewed
_LIFE = timedelta(days=3650)  # of an authority
_SKEW = timedelta(hours=1)  # that a clock elsewhere may be late
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


class CertificateError(HipError):
    """A certificate cannot be made, renewed or revoked; the message says why."""


@frozen
class Issued:
    """A certificate that was made.

    Attributes:
        certificate: the certificate.
        identity: whose it is.
        revoked: whether it has been revoked.
    """

    certificate: x509.Certificate
    identity: Identity
    revoked: bool

    @property
    def until(self) -> datetime:
        """When it runs out."""
        return self.certificate.not_valid_after_utc

    @property
    def hosts(self) -> list[str]:
        """Names and addresses of the hosts where its agent may be a master."""
        return hosts_of(self.certificate)

    def is_good(self, now: datetime) -> bool:
        """Tell whether it still counts."""
        return not self.revoked and self.until > now


class Authority:
    """The authority of a folder.

    Args:
        directory: the folder.
        now: the time.
    """

    def __init__(self, directory: Path, now: datetime | None = None) -> None:
        self.directory = directory
        self._own = directory / FOLDER
        self._now = (now or datetime.now(UTC)).replace(microsecond=0)

    @property
    def exists(self) -> bool:
        """Whether there is one yet."""
        return (self._own / KEY).exists()

    def create(
        self, name: str, roles: Iterable[str] = (), hosts: Iterable[str] = (), days: int = DAYS
    ) -> Issued:
        """Make an agent's key and certificate, and the authority when there is none.

        Args:
            name: the agent's name; also good for the agents `name-1`, `name-2`, …
            roles: what it may be; without any, what its name says before a number.
            hosts: names and IP addresses where it may be a master.
            days: how long the certificate is good.

        Raises:
            CertificateError: a name is impossible, or the agent has a key already.
            OSError: the folder cannot be written.
        """
        _check_name(name)
        identity = Identity(name, frozenset(roles) or frozenset([re.sub(r"-[0-9]+$", "", name)]))
        alternatives = [_host(host) for host in hosts]
        with self._locked():
            if not self.exists:
                self._begin()
            folder = self.directory / name
            if (folder / KEY).exists():
                raise CertificateError(
                    f"{folder} has a key already: `hip certs renew {name}` prolongs its "
                    f"certificate; to begin anew, `hip certs revoke {name}` and remove the folder"
                )
            key = ec.generate_private_key(ec.SECP256R1())
            certificate = self._issue(identity, alternatives, key.public_key(), days)
            folder.mkdir(mode=0o700, exist_ok=True)
            _write_key(folder / KEY, key)
            self._hand_out(folder, certificate)
        return Issued(certificate, identity, revoked=False)

    def issued(self) -> list[Issued]:
        """Return every certificate that was made, by name, the newest first.

        Raises:
            CertificateError: there is no authority, or a file of it is damaged.
        """
        self._check_exists()
        revoked = {each.serial_number for each in self._revocations()}
        found = []
        for path in (self._own / "issued").glob("*.pem"):
            certificate = _read_certificate(path)
            try:
                identity = Identity.of(certificate)
            except NotTrusted as error:
                raise CertificateError(f"{path}: {error}") from None
            found.append(Issued(certificate, identity, certificate.serial_number in revoked))
        return sorted(found, key=lambda it: (it.identity.name, -it.until.timestamp()))

    def revoke(self, name: str) -> list[Issued]:
        """Revoke every certificate of an agent, and return those; renews the list everywhere here.

        Raises:
            CertificateError: it has none that counts.
        """
        self._check_exists()
        with self._locked():
            of_name = [it for it in self.issued() if it.identity.name == name]
            good = [it for it in of_name if it.is_good(self._now)]
            if not good:
                why = "none that counts" if of_name else "none; see `hip certs list`"
                raise CertificateError(f"of the certificates of {name} there is {why}")
            self._write_list([it.certificate for it in good], self._key())
        return good

    def renew(self, names: Iterable[str] = (), days: int = DAYS) -> list[Issued]:
        """Renew the revocation list, and certificates; keys, names, roles and hosts stay.

        Args:
            names: whose; without any, those which run out within 30 days.
            days: how long the new certificates are good.

        Raises:
            CertificateError: an agent has no certificate that was not revoked.
        """
        self._check_exists()
        with self._locked():
            self._write_list([], self._key())
            latest: dict[str, Issued] = {}
            for it in self.issued():  # the one that is good longest comes first
                if not it.revoked:
                    latest.setdefault(it.identity.name, it)
            wanted = list(names)
            for name in wanted:
                if name not in latest:
                    raise CertificateError(
                        f"{name} has no certificate that can be renewed; see `hip certs list`"
                    )
            soon = [name for name, it in latest.items() if it.until < self._now + SOON]
            return [self._renewed(latest[name], days) for name in wanted or soon]

    def _renewed(self, former: Issued, days: int) -> Issued:
        public = former.certificate.public_key()
        assert isinstance(public, ec.EllipticCurvePublicKey)
        alternatives = [_host(host) for host in former.hosts]
        certificate = self._issue(former.identity, alternatives, public, days)
        folder = self.directory / former.identity.name
        folder.mkdir(mode=0o700, exist_ok=True)
        self._hand_out(folder, certificate)
        return Issued(certificate, former.identity, revoked=False)

    # The authority itself

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep others out, lest two lists of revocations be written at once."""
        self._own.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._own, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _check_exists(self) -> None:
        if not self.exists:
            raise CertificateError(
                f"{self.directory} has no authority: `hip certs create` makes one"
            )

    def _begin(self) -> None:
        (self._own / "issued").mkdir(mode=0o700, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        name = _named(f"HIP authority {secrets.token_hex(4)}")
        usage = _usage(key_cert_sign=True, crl_sign=True)
        certificate = (
            self._builder(name, name, key.public_key(), self._now + _LIFE)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(key, SHA256())
        )
        _write(self._own / CERTIFICATE, certificate.public_bytes(Encoding.PEM))
        self._write_list([], key)
        _write_key(self._own / KEY, key)  # last: with it the authority is there

    @property
    def _certificate(self) -> x509.Certificate:
        return _read_certificate(self._own / CERTIFICATE)

    def _key(self) -> ec.EllipticCurvePrivateKey:
        path = self._own / KEY
        try:
            key = load_pem_private_key(path.read_bytes(), None)
        except (ValueError, TypeError):
            raise CertificateError(f"{path} holds no key of an authority") from None
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise CertificateError(f"{path} holds a key that `hip certs` has not made")
        return key

    def _builder(
        self,
        subject: x509.Name,
        issuer: x509.Name,
        public: ec.EllipticCurvePublicKey,
        until: datetime,
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - _SKEW)
            .not_valid_after(until)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        )

    def _issue(
        self,
        identity: Identity,
        hosts: list[x509.GeneralName],
        public: ec.EllipticCurvePublicKey,
        days: int,
    ) -> x509.Certificate:
        if not 0 < days <= _LIFE.days:
            raise CertificateError(f"a certificate is good for 1 to {_LIFE.days} days")
        authority, key = self._certificate, self._key()
        until = min(self._now + timedelta(days=days), authority.not_valid_after_utc)
        names = [x509.UniformResourceIdentifier(uri) for uri in identity.uris]
        # Only a certificate that names hosts can be a master's: a slave's cannot pose as one.
        uses = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] * bool(hosts))]
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())
        certificate = (
            self._builder(_named(identity.name), authority.subject, public, until)
            .add_extension(issuer, critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(x509.SubjectAlternativeName([*names, *hosts]), critical=False)
            .sign(key, SHA256())
        )
        record = f"{identity.name}.{certificate.serial_number:x}.pem"
        _write(self._own / "issued" / record, certificate.public_bytes(Encoding.PEM))
        return certificate

    def _hand_out(self, folder: Path, certificate: x509.Certificate) -> None:
        _write(folder / CERTIFICATE, certificate.public_bytes(Encoding.PEM))
        _write(folder / AUTHORITY, self._certificate.public_bytes(Encoding.PEM))
        _write(folder / REVOKED, (self._own / REVOKED).read_bytes())

    # Revocation

    def _revocations(self) -> list[x509.RevokedCertificate]:
        path = self._own / REVOKED
        try:
            return list(x509.load_pem_x509_crl(path.read_bytes()))
        except FileNotFoundError:
            return []
        except ValueError:
            raise CertificateError(f"{path} holds no revocation list") from None

    def _write_list(self, more: list[x509.Certificate], key: ec.EllipticCurvePrivateKey) -> None:
        """Write a list with more certificates on it, here and in the folder of each agent."""
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self._certificate.subject)
            .last_update(self._now - _SKEW)
            .next_update(self._now + timedelta(days=DAYS))
        )
        for revoked in self._revocations():
            builder = builder.add_revoked_certificate(revoked)
        for certificate in more:
            builder = builder.add_revoked_certificate(
                x509.RevokedCertificateBuilder()
                .serial_number(certificate.serial_number)
                .revocation_date(self._now)
                .build()
            )
        data = builder.sign(key, SHA256()).public_bytes(Encoding.PEM)
        _write(self._own / REVOKED, data)
        for path in self.directory.glob(f"*/{AUTHORITY}"):
            _write(path.with_name(REVOKED), data)


def hosts_of(certificate: x509.Certificate) -> list[str]:
    """Return the names and addresses of hosts that a certificate is for."""
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = names.get_values_for_type(x509.IPAddress)
    return [*names.get_values_for_type(x509.DNSName), *map(str, addresses)]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name == FOLDER:
        raise CertificateError(
            f"{name[:80]!r} cannot be the name of a certificate: 1 to 100 ASCII letters, digits, "
            f"`-`, `_` and `.`, a letter or digit first, and not {FOLDER!r}"
        )


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text.removeprefix("[").removesuffix("]")))
    except ValueError:
        pass
    if not _HOST.fullmatch(text):
        raise CertificateError(
            f"{text[:80]!r} is no host: a name in ASCII or an IP address, no port"
        )
    return x509.DNSName(text)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _usage(
    digital_signature: bool = False, key_cert_sign: bool = False, crl_sign: bool = False
) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _read_certificate(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except ValueError:
        raise CertificateError(f"{path} holds no certificate") from None


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """Write a key where there is none.

    Raises:
        CertificateError: there is one.
    """
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = _draft(path, data)
    try:
        os.link(draft, path)
    except FileExistsError:
        raise CertificateError(f"{path} is there already, and is not written over") from None
    finally:
        draft.unlink()


def _write(path: Path, data: bytes) -> None:
    """Write a file at once, so that nobody ever reads half of it."""
    draft = _draft(path, data)
    try:
        draft.rename(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def _draft(path: Path, data: bytes) -> Path:
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return draft
