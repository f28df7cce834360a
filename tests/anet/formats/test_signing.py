"""Signatures that others can verify, and others' that we can."""

import shutil
import subprocess
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from json import dumps
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from anet.formats.signing import BadKey, BadSignature, signed, signing_key, verified

HASH = "sha256:" + "ab" * 32
CREATED = "2026-11-22T03:15:00Z"
KEY = ec.generate_private_key(ec.SECP384R1())
SAID = signed(HASH, CREATED, "dlweb", KEY)

# What a browser does, as the field's readers do it.
BROWSER = """
const said = JSON.parse(process.argv[1]);
const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64"));
const {subtle} = globalThis.crypto;
const how = {name: "ECDSA", namedCurve: "P-384"};
const key = await subtle.importKey("spki", bytes(said.publicKey), how, true, ["verify"]);
const hashed = {name: "ECDSA", hash: "SHA-256"};
const text = new TextEncoder().encode(said.hash);
console.log(await subtle.verify(hashed, key, bytes(said.signature), text));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="needs node, for what browsers do")
@pytest.mark.parametrize("hash_", [HASH, HASH.replace("a", "c")])
def test_a_browser_verifies_what_we_sign(hash_: str) -> None:
    """Web Cryptography finds our signature good, and not good for another hash."""
    command = ["node", "--input-type=module", "-e", BROWSER, dumps(SAID | {"hash": hash_})]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert said.strip() == str(hash_ == HASH).lower()


def test_what_is_signed_is_verified() -> None:
    """A signature says when, with what and by which key; nothing but what the format has."""
    found = verified(SAID, HASH)
    assert (found.created, found.software, found.domain) == (CREATED, "dlweb", "")
    assert len(found.key) == 64
    names = {"hash", "created", "software", "version", "signature", "publicKey"}
    assert set(SAID) == names
    assert len(b64decode(SAID["signature"])) == 96


def test_the_same_is_signed_the_same() -> None:
    """An export that is repeated gives the same bytes."""
    assert signed(HASH, CREATED, "dlweb", KEY) == SAID


def test_another_hash_is_not_what_was_signed() -> None:
    """Neither a changed package nor a changed statement is believed."""
    other = HASH.replace("a", "c")
    with pytest.raises(BadSignature, match="another"):
        verified(SAID, other)
    with pytest.raises(BadSignature, match="wrong"):
        verified(SAID | {"hash": other}, other)


junk = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=20),
    st.binary(max_size=120).map(lambda data: b64encode(data).decode()),
)


@given(st.dictionaries(st.sampled_from([*SAID, "domain", "domainCert"]), junk))
def test_nonsense_is_a_bad_signature(changes: dict[str, object]) -> None:
    """Whatever anybody puts there, it is told as no good signature, or it is the good one."""
    said = SAID | changes
    try:
        verified(said, HASH)
    except BadSignature:
        return
    assert all(said[name] == SAID[name] for name in ("hash", "signature", "publicKey"))


def test_a_domain_s_signature_is_read() -> None:
    """The form of services that sign: a certificate in place of the key, a signature in DER."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sign.example.org")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(1))
        .sign(key, SHA256())
        .public_bytes(Encoding.PEM)
        .decode()
    )
    said = {
        "hash": HASH,
        "created": CREATED,
        "software": "authsign",
        "signature": b64encode(key.sign(HASH.encode(), ec.ECDSA(SHA256()))).decode(),
        "domain": "sign.example.org",
        "domainCert": certificate + "\n" + certificate,
    }
    assert verified(said, HASH).domain == "sign.example.org"
    other = b64encode(key.sign(b"other", ec.ECDSA(SHA256()))).decode()
    with pytest.raises(BadSignature):
        verified(said | {"signature": other}, HASH)


def test_a_key_is_made_once_and_is_nobody_else_s(tmp_path: Path) -> None:
    """The first to ask makes it, all others get the same; only its owner may read it."""
    path = tmp_path / "key.pem"
    (tmp_path / "key.pem.new").write_text("half a key")
    first = signing_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert signing_key(path).private_numbers() == first.private_numbers()
    assert [each.name for each in tmp_path.iterdir()] == ["key.pem"]


def test_no_key_of_another_kind_is_used(tmp_path: Path) -> None:
    """A file that holds something else is told, and stays."""
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    keys = [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())]
    path = tmp_path / "key.pem"
    for content in [b"", b"nonsense", *(key.private_bytes(*form) for key in keys)]:
        path.write_bytes(content)
        with pytest.raises(BadKey, match="move it away"):
            signing_key(path)
        assert path.read_bytes() == content
