"""What an agent's links are guarded by."""

from pathlib import Path
from typing import Any

from attrs import field, frozen
from cryptography import x509

from anet.address import Address, is_loopback
from anet.tunnel import Proxy
from hip.errors import CredentialsRefused, NotTrusted, PlaintextRefused
from hip.security.roles import Identity

CERTIFICATE, KEY = "certificate.pem", "key.pem"
AUTHORITY, REVOKED = "authority.pem", "revoked.pem"


@frozen
class Security:
    """How the links of an agent are guarded; the default allows loopback and UNIX sockets only.

    Attributes:
        certificate: PEM file of its certificate; with it every TCP link is TLS.
        key: PEM file of the certificate's key.
        authority: PEM file of the only authority whose certificates are taken.
        revoked: PEM file of the authority's revocation list; None: nothing is ever revoked.
        insecure: whether links beyond loopback may go unencrypted.
        proxy: HTTP proxy through which masters beyond loopback are reached.
        users: users whose processes may link over UNIX sockets, beside the agent's own.
        handshake_time: seconds that a TLS handshake may take.
        handshakes: how many may be under way at a listener before it accepts no more. Twisted
            accepts a hundred connections or more in one go, so that there may be some hundreds
            beyond: 444 in all have been seen in a flood of thousands.
        recheck: seconds within which links are ended whose certificate has run out, or been
            revoked in a list that has arrived here.
    """

    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None
    revoked: Path | None = None
    insecure: bool = False
    proxy: Proxy | None = None
    users: tuple[str, ...] = field(default=(), converter=tuple)
    handshake_time: float = 10.0
    handshakes: int = 256
    recheck: float = 10.0

    def __attrs_post_init__(self) -> None:
        if len({self.certificate is None, self.key is None, self.authority is None}) == 2:
            raise CredentialsRefused("a certificate, its key and its authority go together")

    @classmethod
    def of_folder(cls, folder: str | Path, **others: Any) -> "Security":
        """Return what a folder made by `hip certs create` says, with other settings beside it."""
        path = Path(folder)
        return cls(
            certificate=path / CERTIFICATE,
            key=path / KEY,
            authority=path / AUTHORITY,
            revoked=path / REVOKED,
            **others,
        )

    @property
    def has_certificate(self) -> bool:
        """Whether TCP links are TLS."""
        return self.certificate is not None

    @property
    def name(self) -> str:
        """The name in the certificate; empty without one.

        Raises:
            CredentialsRefused: it cannot be read.
        """
        if self.certificate is None:
            return ""
        try:
            certificate = x509.load_pem_x509_certificate(self.certificate.read_bytes())
            return Identity.of(certificate).name
        except (OSError, ValueError, NotTrusted) as error:
            raise CredentialsRefused(f"{self.certificate}: {error}") from None

    def permit_plaintext(self, address: Address, what: str = "HIP") -> None:
        """Tell whether plaintext may be spoken there.

        Args:
            address: where.
            what: the protocol.

        Raises:
            PlaintextRefused: it is beyond loopback.
        """
        if not self.insecure and not is_loopback(address.host):
            raise PlaintextRefused(
                f"{what} at {address} would not be encrypted: make certificates with `hip certs "
                "create`, use a loopback address, or say `insecure: true` where the network is "
                "trusted"
            )
