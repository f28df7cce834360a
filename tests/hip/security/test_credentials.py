"""The files of an agent's certificate, and certificates of peers, whatever they hold."""

from base64 import decodebytes, encodebytes
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from hip import CredentialsRefused, NotTrusted, Security
from hip.certificates import Authority
from hip.security.credentials import Credentials
from hip.security.roles import Identity

NAMES = x509.ObjectIdentifier("2.5.29.17")  # of SubjectAltName
FILES = ("certificate.pem", "key.pem", "authority.pem", "revoked.pem")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of an agent with a certificate."""
    directory = tmp_path_factory.mktemp("certs")
    Authority(directory).create("agent", hosts=["a.example"])
    return directory / "agent"


@given(st.sampled_from(FILES), st.integers(0, 1000), st.integers(1, 255))
def test_damaged_files_are_refused_or_read(folder, name, where, change):
    """A byte that has changed, anywhere in a file, is at most the documented error."""
    path = folder / name
    whole = path.read_bytes()
    first, *lines, last = whole.splitlines(keepends=True)
    data = bytearray(decodebytes(b"".join(lines)))
    data[where % len(data)] ^= change
    path.write_bytes(first + encodebytes(bytes(data)) + last)
    try:
        with suppress(CredentialsRefused):
            Credentials(Security.of_folder(folder), lambda *_: True).current()
    finally:
        path.write_bytes(whole)


def test_a_key_is_private(folder):
    """One that every user can read is as good as given away."""
    key = folder / "key.pem"
    key.chmod(0o644)
    credentials = Credentials(Security.of_folder(folder), lambda *_: True)
    with pytest.raises(CredentialsRefused, match="chmod 600"):
        credentials.current()
    key.chmod(0o600)
    assert credentials.current().identity.name == "agent"


def certificate_with(*extensions: x509.ExtensionType) -> x509.Certificate:
    """Return a certificate with those extensions, signed by itself."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "x")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(key, SHA256())


@pytest.mark.parametrize(
    "names",
    [
        b"",
        b"\x30\x05abc",  # nonsense
        b"\x30\x04\xa3\x02\x30\x00",  # an address of X.400
        b"\x30\x0c\x86\x0ahip:name/\xff",  # a URI that is not ASCII
        b"\x30\x10\x87\x02ab\x86\x0ahip:name/a",  # an IP address of two bytes
    ],
)
def test_odd_names_are_no_identity(names):
    """Another tool may have made the certificate, and anything be in it."""
    with pytest.raises(NotTrusted, match="does not name one agent"):
        Identity.of(certificate_with(x509.UnrecognizedExtension(NAMES, names)))


def test_names_for_others_are_let_be():
    """What is said beside the URIs of HIP says nothing."""
    names = ["hip:name/a", "HIP:name/b", "hip:names/c", "https://a.example/", "hip:role/%00"]
    uris = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(each) for each in names])
    assert Identity.of(certificate_with(uris)) == Identity("a", frozenset({"\0"}))
