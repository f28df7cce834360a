"""The folder of an authority and of the agents that it has made certificates for.

authority/certificate.pem    the authority, for ten years
authority/key.pem            its key: whoever has it can be any agent
authority/revoked.pem        its revocation list
authority/issued/            each certificate ever made, as NAME.SERIAL.pem
NAME/                        what the agent of that name needs, ready to be copied:
    certificate.pem  key.pem  authority.pem  revoked.pem
"""

import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding

from hip.certificates.errors import CertificateError
from hip.certificates.files import read_certificate, read_key, read_revoked, write, write_key
from hip.certificates.making import DAYS, Signer, check_days, host_name, hosts_of, new_key
from hip.errors import NotTrusted
from hip.security.roles import ROLES_LIMIT, Identity
from hip.security.settings import AUTHORITY, CERTIFICATE, KEY, REVOKED

FOLDER = "authority"  # no agent may have this name
SOON = timedelta(days=30)  # what runs out within it is renewed
_ISSUED = "issued"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


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
    revoked: bool = False

    @property
    def since(self) -> datetime:
        """From when on it is good."""
        return self.certificate.not_valid_before_utc

    @property
    def until(self) -> datetime:
        """When it runs out."""
        return self.certificate.not_valid_after_utc

    @property
    def hosts(self) -> list[str]:
        """Names and addresses of the hosts where its agent may be a master."""
        return hosts_of(self.certificate)


class Authority:
    """The authority of a folder.

    Args:
        directory: the folder.
        now: the time; of the clock if not given.
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
            CertificateError: what is asked for is impossible, or the agent has a key already.
            OSError: the folder cannot be written.
        """
        roles = list(roles)
        _check_name(name)
        _check_roles(roles)
        check_days(days)
        identity = Identity(name, frozenset(roles) or frozenset([re.sub(r"-[0-9]+$", "", name)]))
        names = [host_name(host) for host in hosts]
        with self._locked():
            signer = self._signer() if self.exists else self._begin()
            folder = self.directory / name
            if (folder / KEY).exists():
                raise CertificateError(
                    f"{folder} has a key already: `hip certs renew {name}` prolongs its "
                    f"certificate; to begin anew, `hip certs revoke {name}` and remove the folder"
                )
            key = new_key()
            certificate = signer.issue(identity, names, key.public_key(), days)
            made = self._record(Issued(certificate, identity))
            folder.mkdir(mode=0o700, exist_ok=True)
            write_key(folder / KEY, key)
            return self._hand_out(signer, made)

    def issued(self) -> list[Issued]:
        """Return every certificate that was made, by name, the newest first.

        Raises:
            CertificateError: there is no authority, or a file of it is damaged.
        """
        self._check_exists()
        revoked = {each.serial_number for each in self._revoked()}
        found = []
        for path in (self._own / _ISSUED).glob("*.pem"):
            certificate = read_certificate(path)
            try:
                identity = Identity.of(certificate)
            except NotTrusted as error:
                raise CertificateError(f"{path}: {error}") from None
            found.append(Issued(certificate, identity, certificate.serial_number in revoked))
        return sorted(found, key=lambda it: (it.identity.name, -it.since.timestamp()))

    def revoke(self, name: str) -> list[Issued]:
        """Revoke every certificate of an agent, and return those; renews the list everywhere here.

        Also those that have run out, lest they be renewed.

        Raises:
            CertificateError: it has none, or they are revoked already.
        """
        self._check_exists()
        with self._locked():
            of_name = [it for it in self.issued() if it.identity.name == name]
            good = [it for it in of_name if not it.revoked]
            if not of_name:
                raise CertificateError(f"{name[:80]!r} has no certificate; see `hip certs list`")
            if not good:
                raise CertificateError(f"every certificate of {name} has been revoked already")
            self._write_list(self._signer(), self._revoked(), [it.certificate for it in good])
        return good

    def renew(self, names: Iterable[str] = (), days: int = DAYS) -> list[Issued]:
        """Renew the revocation list, and certificates; keys, names, roles and hosts stay.

        Args:
            names: whose; without any, those which run out within 30 days.
            days: how long the new certificates are good.

        Raises:
            CertificateError: an agent has no certificate that was not revoked.
        """
        check_days(days)
        self._check_exists()
        with self._locked():
            signer = self._signer()
            self._write_list(signer, self._revoked(), [])
            latest: dict[str, Issued] = {}
            for it in self.issued():  # the newest, whose key the agent has, comes first
                if not it.revoked:
                    latest.setdefault(it.identity.name, it)
            wanted = list(names)
            for name in wanted:
                if name not in latest:
                    raise CertificateError(
                        f"{name[:80]!r} has no certificate to be renewed; see `hip certs list`"
                    )
            soon = [name for name, it in latest.items() if it.until < self._now + SOON]
            return [self._renewed(signer, latest[name], days) for name in wanted or soon]

    def _renewed(self, signer: Signer, former: Issued, days: int) -> Issued:
        public = former.certificate.public_key()
        assert isinstance(public, EllipticCurvePublicKey)
        names = [host_name(host) for host in former.hosts]
        certificate = signer.issue(former.identity, names, public, days)
        return self._hand_out(signer, self._record(Issued(certificate, former.identity)))

    # Files

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

    def _begin(self) -> Signer:
        if any((self._own / _ISSUED).glob("*.pem")):
            raise CertificateError(
                f"{self._own / KEY} is missing, with which certificates were made: put it back, "
                "or begin anew in another folder"
            )
        signer = Signer.new(self._now)
        (self._own / _ISSUED).mkdir(mode=0o700, exist_ok=True)
        write(self._own / CERTIFICATE, signer.certificate.public_bytes(Encoding.PEM))
        self._write_list(signer, [], [])
        write_key(self._own / KEY, signer.key)  # last: with it the authority is there
        return signer

    def _signer(self) -> Signer:
        path = self._own / CERTIFICATE
        certificate, key = read_certificate(path), read_key(self._own / KEY)
        if certificate.public_key() != key.public_key():
            raise CertificateError(f"{self._own / KEY} is not the key of {path}")
        if certificate.not_valid_after_utc <= self._now:
            raise CertificateError(
                f"{path} ran out on {certificate.not_valid_after_utc:%Y-%m-%d}: make an authority "
                "and all certificates anew, in another folder"
            )
        return Signer(certificate, key, self._now)

    def _revoked(self) -> list[x509.RevokedCertificate]:
        return read_revoked(self._own / REVOKED)

    def _record(self, made: Issued) -> Issued:
        """Keep a copy of a certificate, before anybody has it: it may have to be revoked."""
        name = f"{made.identity.name}.{made.certificate.serial_number:x}.pem"
        write(self._own / _ISSUED / name, made.certificate.public_bytes(Encoding.PEM))
        return made

    def _hand_out(self, signer: Signer, made: Issued) -> Issued:
        """Write a certificate, and what goes with it, into the folder of its agent."""
        folder = self.directory / made.identity.name
        folder.mkdir(mode=0o700, exist_ok=True)
        write(folder / AUTHORITY, signer.certificate.public_bytes(Encoding.PEM))
        write(folder / REVOKED, (self._own / REVOKED).read_bytes())
        write(folder / CERTIFICATE, made.certificate.public_bytes(Encoding.PEM))
        return made

    def _write_list(
        self,
        signer: Signer,
        known: list[x509.RevokedCertificate],
        more: list[x509.Certificate],
    ) -> None:
        """Write a list with more certificates on it, here and in the folder of each agent."""
        data = signer.list_revoked(known, more)
        write(self._own / REVOKED, data)
        for path in self.directory.glob(f"*/{AUTHORITY}"):
            write(path.with_name(REVOKED), data)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name == FOLDER:
        raise CertificateError(
            f"{name[:80]!r} cannot be the name of a certificate: 1 to 100 ASCII letters, digits, "
            f"`-`, `_` and `.`, a letter or digit first, and not {FOLDER!r}"
        )


def _check_roles(roles: list[str]) -> None:
    if len(roles) > ROLES_LIMIT or not all(r.isprintable() and 0 < len(r) <= 100 for r in roles):
        raise CertificateError(
            f"a certificate has at most {ROLES_LIMIT} roles, of 1 to 100 printable characters each"
        )
