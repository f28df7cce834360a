"""The archive's authority: made once, kept private, and believed for the hosts it signs."""

import multiprocessing
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.verification import PolicyBuilder, Store
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.errors import AuthorityDamaged
from agents.consultation.proxy.authority import FILE, LEAF_LIFE, LIFE, Authority, authority_of
from agents.consultation.proxy.minting import Mint, named_host, plain_address
from anet.names import literal

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
AUTHORITY = Authority.make("an archive", NOW)
KEY = ec.generate_private_key(ec.SECP256R1()).public_key()
LABEL = st.from_regex(r"[a-z0-9_]([a-z0-9_-]{0,20}[a-z0-9])?", fullmatch=True)
NAMES = st.lists(LABEL, min_size=1, max_size=5).map(".".join).filter(lambda name: not literal(name))
HOSTS = NAMES | st.ip_addresses().map(str)


def verifier(authority: Authority, host: str):
    """Return what a browser does that trusts the authority."""
    address = literal(host)
    subject = x509.DNSName(host) if address is None else x509.IPAddress(_ip(address))
    builder = PolicyBuilder().store(Store([authority.certificate])).time(NOW)
    return builder.build_server_verifier(subject)


def _ip(address: str):
    from ipaddress import ip_address

    return ip_address(address)


@given(HOSTS)
def test_a_certificate_is_good_for_its_host_alone(host):
    """By the rules of the web's own verifiers, for names and addresses; not for another host."""
    leaf = AUTHORITY.issue(host, KEY, NOW)
    assert leaf.not_valid_after_utc - leaf.not_valid_before_utc <= timedelta(days=398)
    if "_" in host:  # which that verifier takes for no name; browsers do
        return
    assert verifier(AUTHORITY, host).verify(leaf, [])
    with pytest.raises(x509.verification.VerificationError):
        verifier(AUTHORITY, "another.example").verify(leaf, [])
    with pytest.raises(x509.verification.VerificationError):
        verifier(Authority.make("another archive", NOW), host).verify(leaf, [])


def test_it_is_made_once_and_kept_private(tmp_path):
    """The folder is the owner's alone, and so is the file; the next start finds the same."""
    archive = tmp_path / "var"
    made = authority_of(archive)
    assert (archive / FILE).stat().st_mode & 0o777 == 0o600
    assert archive.stat().st_mode & 0o777 == 0o700
    assert authority_of(archive).certificate == made.certificate
    assert made.name.startswith("dlweb var ") and list(archive.iterdir()) == [archive / FILE]
    life = made.certificate.not_valid_after_utc - datetime.now(UTC)
    assert abs(life - LIFE) < timedelta(minutes=1)


def _fingerprint(folder, queue):
    queue.put(authority_of(folder).offer().fingerprint_sha256)


def test_those_who_come_at_once_have_the_same(tmp_path):
    """Of several processes one makes it."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=_fingerprint, args=(tmp_path, queue)) for _ in range(4)]
    for child in children:
        child.start()
    assert len({queue.get(timeout=30) for _ in children}) == 1
    for child in children:
        child.join(30)


def test_what_cannot_be_used_is_said(tmp_path):
    """A damaged file, another's key, and an authority that has run out."""
    path = tmp_path / FILE
    authority_of(tmp_path)
    whole = path.read_bytes()
    certificate, key = whole.split(b"-----BEGIN PRIVATE KEY")
    with pytest.raises(AuthorityDamaged, match="ran out on"):
        authority_of(tmp_path, datetime.now(UTC) + LIFE + timedelta(days=1))
    for data in (b"", b"nonsense", certificate, whole[:-100], b"-----BEGIN PRIVATE KEY" + key):
        path.write_bytes(data)
        with pytest.raises(AuthorityDamaged, match=r"authority\.pem"):
            authority_of(tmp_path)
    path.unlink()
    authority_of(tmp_path)
    other = path.read_bytes().split(b"-----BEGIN PRIVATE KEY")[0]
    path.write_bytes(other + b"-----BEGIN PRIVATE KEY" + key)
    with pytest.raises(AuthorityDamaged, match="not that of its certificate"):
        authority_of(tmp_path)


def test_what_is_offered_is_what_browsers_show():
    """Name, end, and fingerprint in pairs of digits."""
    offer = AUTHORITY.offer("/certificate.crt")
    assert offer.name == "an archive" and offer.paths == ("/certificate.crt",)
    assert offer.not_after == NOW + LIFE
    assert len(offer.fingerprint_sha256) == 95 and offer.fingerprint_sha256[2] == ":"


def test_a_host_is_spoken_for_by_one_certificate_until_it_ages():
    """The next connections have the same; a month later there is another, long before its end."""
    now = [NOW.timestamp()]
    mint = Mint(AUTHORITY, clock=lambda: now[0])
    first = mint.context("a.example")
    assert mint.context("a.example") is first is not mint.context("b.example")
    now[0] += LEAF_LIFE.total_seconds() / 2
    assert mint.context("a.example") is not first
    for number in range(600):
        mint.context(f"{number}.example")
    assert mint.context("a.example") is not first


@given(st.binary(max_size=300) | NAMES.map(str.encode))
def test_a_name_in_tls_is_a_host_or_nothing(name):
    """Whatever a client says, no certificate is made for nonsense."""
    found = named_host(name)
    assert found is None or (found.isascii() and literal(found) is None and len(found) <= 255)
    if found is not None:
        assert found == name.decode().lower()
        AUTHORITY.issue(found, KEY, NOW)


def test_names_in_tls():
    """None, addresses and what is no host are left to the tunnel."""
    assert named_host(None) is named_host(b"") is named_host(b"127.0.0.1") is None
    assert named_host(b"a b") is named_host(b"a/b") is named_host(b"\xc3\xa9.example") is None
    assert named_host(b"WWW.Example.org") == "www.example.org"
    assert named_host(b"xn--bcher-kva.example") == "xn--bcher-kva.example"


def test_an_address_of_ours_as_clients_name_it():
    """A socket for both families shows IPv4 as IPv6, and a link's address with its zone."""
    assert plain_address("::ffff:192.0.2.1") == plain_address("192.0.2.1") == "192.0.2.1"
    assert plain_address("fe80::1%eth0") == "fe80::1"
