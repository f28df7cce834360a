"""Chains of certificates that servers showed, each kept once (docs/reference/crawl-directory)."""

from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from ssl import DER_cert_to_PEM_cert

from anet.tls import TlsSession

_CHAINS = 1000  # remembered; one that is forgotten is only written again


class Certificates:
    """Keeps chains in a folder.

    Args:
        folder: made with the first chain.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: OrderedDict[tuple[bytes, ...], str] = OrderedDict()

    def keep(self, session: TlsSession) -> str:
        """Keep the chain of a session; return what a capture's origin says of the session.

        That is the version of TLS, the cipher suite and the name of the chain's file, which is the
        SHA-256 of the file; `-` when the server showed none.

        Raises:
            OSError: it can't be written.
        """
        name = self._names.get(session.chain) or self._write(session.chain)
        return f"{session.version} {session.cipher} {name}"

    def _write(self, chain: tuple[bytes, ...]) -> str:
        if not chain:
            return "-"
        text = "".join(map(DER_cert_to_PEM_cert, chain)).encode("ascii")
        name = sha256(text).hexdigest()
        self._folder.mkdir(exist_ok=True)
        (self._folder / f"{name}.pem").write_bytes(text)
        self._names[chain] = name
        if len(self._names) > _CHAINS:
            self._names.popitem(last=False)
        return name
