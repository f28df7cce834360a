"""Signatures of WACZ files (*WACZ Signing and Verification 0.1.0*).

What is signed is the hash of `datapackage.json`, which names the hash of every other file. The
signature is the specification's anonymous one: it proves that the holder of a key signed, and who
that is has to be known from elsewhere. The key, an ECDSA one on P-384, is the archive's own. The
other form, by a domain's certificate and a signed time, needs answers of a certificate and of a
time authority, and so the network; such signatures are only read here.
"""

import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from attrs import frozen
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_public_key,
    load_pem_private_key,
)
from cryptography.x509 import load_pem_x509_certificates

from anet.durable import sync_path

SPECIFICATION = "0.1.0"
_HOW = ec.ECDSA(SHA256(), deterministic_signing=True)
_SPKI = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
_TEXTS = ("hash", "signature", "created", "software")


class BadSignature(Exception):
    """A signature is not good, or is none; the message says why."""


class BadKey(Exception):
    """A file holds no key that signs WACZ files; the message says what to do."""


@frozen
class Signed:
    """A good signature.

    Attributes:
        key: SHA-256 of the public key (DER, SubjectPublicKeyInfo), by which its holder is known.
        created: when, as the signer says.
        software: with what.
        domain: for which domain the signer's certificate is, as it says itself: nobody has been
            asked who gave the certificate. Empty for an anonymous signature.
    """

    key: str
    created: str
    software: str
    domain: str = ""


def signing_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Return the key that a file holds; make it if it is not there, readable by its owner only.

    Raises:
        BadKey: the file holds something else.
        OSError: it cannot be read or written.
    """
    if not path.exists():
        _make_key(path)
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise BadKey(f"{path} holds no private key ({error}); move it away") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP384R1):
        raise BadKey(f"{path} holds a key of another kind than ECDSA P-384; move it away")
    return key


def signed(
    hash_: str, created: str, software: str, key: ec.EllipticCurvePrivateKey
) -> dict[str, str]:
    """Return `signedData` for the hash of a datapackage.json, such as `sha256:…`."""
    first, second = decode_dss_signature(key.sign(hash_.encode(), _HOW))
    half = key.curve.key_size // 8
    return {
        "hash": hash_,
        "created": created,
        "software": software,
        "version": SPECIFICATION,
        "signature": b64encode(first.to_bytes(half) + second.to_bytes(half)).decode(),
        "publicKey": b64encode(key.public_key().public_bytes(*_SPKI)).decode(),
    }


def verified(said: Mapping[str, object], hash_: str) -> Signed:
    """Return what a good signature says.

    Args:
        said: `signedData`, from anybody.
        hash_: of the datapackage.json that was found, such as `sha256:…`.

    Raises:
        BadSignature: it is none, of something else, or wrong.
    """
    texts = {name: value for name in _TEXTS if isinstance(value := said.get(name), str)}
    if len(texts) < len(_TEXTS):
        raise BadSignature("signedData lacks " + ", ".join(set(_TEXTS) - set(texts)))
    if texts["hash"] != hash_:
        raise BadSignature("what was signed is another datapackage.json")
    try:
        key = _public_key(said)
        signature = b64decode(texts["signature"], validate=True)
        key.verify(_der(signature, key), hash_.encode(), ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise BadSignature("the signature is wrong") from None
    except (ValueError, TypeError) as error:
        raise BadSignature(f"no signature that is known here: {error}") from None
    name = sha256(key.public_bytes(*_SPKI)).hexdigest()
    domain = "" if "publicKey" in said else str(said.get("domain", ""))
    return Signed(name, texts["created"], texts["software"], domain)


def _make_key(path: Path) -> None:
    """Write a new key, whole or not at all."""
    key = ec.generate_private_key(ec.SECP384R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)
    sync_path(path.parent)


def _public_key(said: Mapping[str, object]) -> ec.EllipticCurvePublicKey:
    text = said.get("publicKey")
    if isinstance(text, str):
        key = load_der_public_key(b64decode(text, validate=True))
    else:
        certificates = load_pem_x509_certificates(str(said.get("domainCert", "")).encode())
        key = certificates[0].public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise ValueError("the key is none of ECDSA")
    return key


def _der(signature: bytes, key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a signature as OpenSSL has it: browsers write the two numbers one after the other."""
    half = (key.curve.key_size + 7) // 8
    if len(signature) != 2 * half:
        return signature
    return encode_dss_signature(int.from_bytes(signature[:half]), int.from_bytes(signature[half:]))
