"""Revocation lists: honoured at each handshake, and for links that there are."""

from datetime import timedelta

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from hip import CredentialsRefused, Security
from hip.certificates import Authority
from hip.security.credentials import Credentials
from hip.security.guard import no_longer_good
from tests.hip.security.conftest import ago, until


@ensureDeferred
async def test_a_revoked_slave_does_not_get_in(net):
    """Its handshake ends, and it is told why."""
    listener = net.master(net.certify("master"))
    slave = net.certify("slave", host="")
    Authority(net.folder / "certs").revoke("slave")
    link = net.slave(slave, listener.address)
    await until(lambda: "our certificate has been revoked" in link.state)
    assert net.agents[0].slaves == {}


@ensureDeferred
async def test_links_end_when_their_certificate_is_revoked(net):
    """A list that arrives ends links within the stated time; others stay."""
    security = Security.of_folder(net.certify("master"), recheck=0.05)
    listener = net.master(security)
    good = net.slave(net.certify("good", "slave", host=""), listener.address, name="good")
    bad = net.slave(net.certify("bad", "slave", host=""), listener.address, name="bad")
    assert await bad.call("greet", name="x") == await good.call("greet", name="x")
    Authority(net.folder / "certs").revoke("bad")
    await until(lambda: set(net.agents[0].slaves) == {"good"})
    await until(lambda: "revoked" in bad.state)
    assert await good.call("greet", name="x")


@ensureDeferred
async def test_links_end_with_their_certificates_whatever_our_files_hold(net):
    """A list that is damaged ends no links by itself, but keeps none for ever either."""
    folder = net.certify("master")
    listener = net.master(Security.of_folder(folder, recheck=0.05))
    link = net.slave(net.certify("slave", host="", days=1), listener.address)
    assert await link.call("greet", name="x")
    (folder / "revoked.pem").write_bytes(b"")
    net.agents[0]._guard.look_again()
    assert await link.call("greet", name="x")
    net.agents[0]._guard._now = lambda: ago(days=-2)
    await until(lambda: "its certificate has run out" in link.state)


@ensureDeferred
async def test_a_revoked_master_loses_its_slaves(net):
    """A slave looks at its master's certificate again as well."""
    listener = net.master(net.certify("master"))
    slave = Security.of_folder(net.certify("slave", host=""), recheck=0.05)
    link = net.slave(slave, listener.address)
    await link.call("greet", name="x")
    Authority(net.folder / "certs").revoke("master")
    await until(lambda: "revoked" in link.state)


@ensureDeferred
async def test_a_renewed_certificate_counts_without_a_restart(net):
    """The next handshake shows what the files say then."""
    security = Security.of_folder(net.certify("master"))
    listener = net.master(security)
    slave = net.certify("slave", host="")
    link = net.slave(slave, listener.address)
    await link.call("greet", name="x")
    before = link.peer.transport.getPeerCertificate().get_serial_number()
    Authority(net.folder / "certs").renew(["master"])
    link.peer.close("again")
    await link.insist("greet", name="x")
    assert link.peer.transport.getPeerCertificate().get_serial_number() != before


def credentials_of(folder, **security) -> Credentials:
    """Return what reads the files of an agent."""
    return Credentials(Security.of_folder(folder, **security), lambda *_: True)


def test_a_list_that_has_run_out_lets_nobody_in(net):
    """Its owner is told which command renews it; and then it counts."""
    folder = net.certify("master", now=ago(days=400), days=3000)
    credentials = credentials_of(folder)
    with pytest.raises(CredentialsRefused, match=r"revoked.pem ran out on .*hip certs renew"):
        credentials.current()
    Authority(net.folder / "certs").renew()
    assert credentials.current().identity.name == "master"


def test_a_list_that_is_missing_or_of_others_lets_nobody_in(net):
    """A list that is configured must be there, whole, and signed by the authority."""
    folder = net.certify("master")
    credentials = credentials_of(folder)
    assert credentials.current().revoked == frozenset()
    others = net.certify("master", authority="others")
    (folder / "revoked.pem").write_bytes((others / "revoked.pem").read_bytes())
    with pytest.raises(CredentialsRefused, match="is not signed by the authority"):
        credentials.current()
    (folder / "revoked.pem").write_bytes(b"-----BEGIN X509 CRL-----\nAAAA\n")
    with pytest.raises(CredentialsRefused, match="holds no revocation list"):
        credentials.current()
    (folder / "revoked.pem").unlink()
    with pytest.raises(CredentialsRefused, match="hip certs renew"):
        credentials.current()


def test_files_are_read_again_only_when_they_change(net):
    """What was read is kept until then."""
    credentials = credentials_of(net.certify("master"))
    first = credentials.current()
    assert credentials.current() is first
    Authority(net.folder / "certs").renew(["master"])
    assert credentials.current() is not first


@given(st.frozensets(st.integers(1, 2**160 - 1)), st.booleans(), st.integers(-400, 400))
def test_what_counts_no_longer(serials, revoked, days):
    """A certificate counts until it is on the list or its time is over, whichever comes first."""
    certificate = CERTIFICATE
    listed = serials | {certificate.serial_number} if revoked else serials
    until_ = certificate.not_valid_after_utc
    now = until_ + timedelta(days=days)
    why = no_longer_good(certificate, listed, now)
    if certificate.serial_number in listed:
        assert why == "its certificate has been revoked"
    else:
        assert (why is None) is (now < until_)


def _certificate(folder) -> x509.Certificate:
    return Authority(folder).create("agent").certificate


@pytest.fixture(autouse=True, scope="module")
def _any_certificate(tmp_path_factory):
    global CERTIFICATE
    CERTIFICATE = _certificate(tmp_path_factory.mktemp("certs"))
