"""Writing the files of an authority."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from hip.certificates.errors import CertificateError

# Agents of another user can read a list that root has renewed; their folder is closed to others.
_PRIVATE, _PUBLIC = 0o600, 0o644


def read_certificate(path: Path) -> x509.Certificate:
    """Return the certificate in a file.

    Raises:
        CertificateError: it holds none.
        OSError: it cannot be read.
    """
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (ValueError, x509.InvalidVersion):
        raise CertificateError(f"{path} holds no certificate") from None


def read_revoked(path: Path) -> list[x509.RevokedCertificate]:
    """Return what is on a revocation list.

    Raises:
        CertificateError: it is none, or there is none; an empty one would let everybody in again.
        OSError: it cannot be read.
    """
    try:
        return list(x509.load_pem_x509_crl(path.read_bytes()))
    except FileNotFoundError:
        raise CertificateError(
            f"{path} is missing: copy it there from the folder of an agent, the newest there is"
        ) from None
    except (ValueError, x509.InvalidVersion):
        raise CertificateError(f"{path} holds no revocation list") from None


def read_key(path: Path) -> EllipticCurvePrivateKey:
    """Return the key in a file.

    Raises:
        CertificateError: it holds none that `hip certs` has made.
        OSError: it cannot be read.
    """
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise CertificateError(f"{path} holds no private key") from None
    if not isinstance(key, EllipticCurvePrivateKey):
        raise CertificateError(f"{path} holds a key that `hip certs` has not made")
    return key


def write_key(path: Path, key: EllipticCurvePrivateKey) -> None:
    """Write a key where there is none.

    Raises:
        CertificateError: there is one.
        OSError: it cannot be written.
    """
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = _draft(path, data, _PRIVATE)
    try:
        os.link(draft, path)
    except FileExistsError:
        raise CertificateError(f"{path} is there already, and is not written over") from None
    finally:
        draft.unlink()


def write(path: Path, data: bytes) -> None:
    """Write a file that is no secret at once, so that nobody ever reads half of it.

    Raises:
        OSError: it cannot be written.
    """
    draft = _draft(path, data, _PUBLIC)
    try:
        draft.rename(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def _draft(path: Path, data: bytes, mode: int) -> Path:
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return draft
