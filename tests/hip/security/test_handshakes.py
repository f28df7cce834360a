"""Who is let in, by real handshakes over loopback."""

import shutil
import socket
import ssl
import warnings
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.threads import deferToThread

from anet.factories import factory_of
from hip import CredentialsRefused, PlaintextRefused, Security
from hip.security import listening
from tests.hip.security.conftest import ago, until


class Wire(Protocol):
    """A bare TCP connection: what came, and whether it is over."""

    def __init__(self) -> None:
        self.received = b""
        self.over: Deferred[None] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        """Keep it."""
        self.received += data

    def connectionLost(self, reason=connectionDone) -> None:
        """Tell."""
        self.over.callback(None)


async def wire_to(listener) -> Wire:
    """Connect without a word."""
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", listener.port)
    return await endpoint.connect(factory_of(Wire))


@ensureDeferred
async def test_agents_with_certificates_call_each_other(net):
    """Both prove who they are, and the roles of each are known to the other."""
    listener = net.master(net.certify("master"))
    link = net.slave(net.certify("slave", "slave", "helper", host=""), listener.address)
    assert await link.call("greet", name="master") == "hello master"
    (slave,) = net.agents[0].slaves.values()
    assert await slave.call("greet", name="slave") == "hello slave"
    assert (slave.roles, link.peer.roles) == ({"slave", "helper"}, set())


@ensureDeferred
async def test_over_ipv6(net):
    """An address of IPv6 is checked against the certificate as one of IPv4 is."""
    listener = net.master(net.certify("master", host="::1"), "[::1]:0")
    assert listener.address == f"[::1]:{listener.port}"
    link = net.slave(net.certify("slave", host=""), listener.address)
    assert await link.call("greet", name="you") == "hello you"


@ensureDeferred
async def test_by_name(net):
    """A master's name is looked up, and then checked in its certificate."""
    listener = net.master(net.certify("master", host="localhost"))
    link = net.slave(net.certify("slave", host=""), f"localhost:{listener.port}")
    assert await link.call("greet", name="you") == "hello you"


async def refused(net, link, why: str) -> None:
    """Wait until a slave says why it has no link, and check that its master has no slave."""
    await until(lambda: why in link.state)
    assert link.peer is None
    assert net.agents[0].slaves == {}


@ensureDeferred
async def test_another_authority(net):
    """A certificate of an authority that is not ours is worth nothing, at either end."""
    listener = net.master(net.certify("master"))
    stranger = net.certify("slave", host="", authority="others")
    await refused(net, net.slave(stranger, listener.address), "comes from another authority")
    mixed = Security(
        certificate=stranger / "certificate.pem",
        key=stranger / "key.pem",
        authority=net.folder / "certs" / "master" / "authority.pem",
    )
    await refused(net, net.slave(mixed, listener.address), "does not trust our certificate's")


@ensureDeferred
async def test_a_certificate_that_has_run_out(net):
    """It is refused before anything is sent, by whom it belongs to; and by the other end."""
    listener = net.master(net.certify("master"))
    old = net.certify("slave", host="", now=ago(days=20), days=10)
    link = net.slave(old, listener.address)
    await refused(net, link, "hip certs renew")


@ensureDeferred
async def test_another_name_than_the_certificate_says(net):
    """A slave cannot be another than its certificate says, and is told."""
    listener = net.master(net.certify("master"))
    folder = net.certify("slave", host="")
    await refused(
        net,
        net.slave(folder, listener.address, name="chief"),
        "the certificate is for slave, not for chief",
    )
    await refused(
        net,
        net.slave(folder, listener.address, kind="scheduler"),
        "does not allow a scheduler: it lacks the role scheduler",
    )


@ensureDeferred
async def test_a_master_that_is_another(net):
    """A slave checks host, name and kind of its master."""
    listener = net.master(net.certify("master", host="master.example"))
    slave = net.certify("slave", host="")
    await refused(net, net.slave(slave, listener.address), "is not for 127.0.0.1")
    await net.agents[0].stopService()
    folder = net.certify("impostor", "master")
    agent = net.agent("master", "master", folder)
    listener = agent.listen("127.0.0.1:0")
    agent.startService()
    link = net.slave(slave, listener.address, name="slave-2")
    await until(lambda: "is for impostor, not for master" in link.state)


@ensureDeferred
async def test_a_slaves_certificate_makes_no_master(net):
    """A certificate without hosts cannot be shown by who listens."""
    listener = net.master(net.certify("master", host=""))
    link = net.slave(net.certify("slave", host=""), listener.address)
    await refused(net, link, "hip certs create --host")


async def visit(listener, context: ssl.SSLContext) -> str:
    """Return the TLS version that a stranger's client speaks with a master, or what goes wrong."""

    def speak() -> str:
        try:
            with (
                socket.create_connection(("127.0.0.1", listener.port), timeout=10) as plain,
                context.wrap_socket(plain, server_hostname="127.0.0.1") as tls,
            ):
                assert tls.recv(4), "no greeting"
                return str(tls.version())
        except OSError as error:
            return str(error)

    return await deferToThread(speak)


def client_of(folder, chain: str = "certificate.pem") -> ssl.SSLContext:
    """Return how the standard library's TLS speaks as an agent."""
    context = ssl.create_default_context(cafile=folder / "authority.pem")
    context.load_cert_chain(folder / chain, folder / "key.pem")
    return context


@ensureDeferred
async def test_no_certificate(net):
    """A client that speaks TLS and shows nothing is not let in."""
    listener = net.master(net.certify("master"))
    context = ssl.create_default_context(cafile=net.folder / "certs/master/authority.pem")
    assert "CERTIFICATE_REQUIRED" in await visit(listener, context)
    assert net.agents[0].slaves == {}


@ensureDeferred
async def test_old_versions(net):
    """TLS 1.2 is spoken with who knows no better, as some languages do; nothing older is."""
    listener = net.master(net.certify("master"))
    context = client_of(net.certify("slave", host=""))
    assert await visit(listener, context) == "TLSv1.3"
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert await visit(listener, context) == "TLSv1.2"
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    assert "PROTOCOL_VERSION" in await visit(listener, context)


@ensureDeferred
async def test_plaintext_to_tls_and_the_reverse(net):
    """Each end says what is wrong with the other."""
    secure = net.master(net.certify("master"))
    plain_link = net.slave(Security(), secure.address)
    await refused(net, plain_link, "is HIP spoken there, and without TLS?")
    plain = net.agent("master", "plain", Security())
    listener = plain.listen("127.0.0.1:0")
    plain.startService()
    link = net.slave(net.certify("slave", host=""), listener.address)
    await until(lambda: "no TLS handshake" in link.state)
    assert plain.slaves == {}


@ensureDeferred
async def test_a_client_that_is_silent_is_sent_away_in_time(net):
    """A handshake has a time limit."""
    security = Security.of_folder(net.certify("master"), handshake_time=0.2)
    wire = await wire_to(net.master(security))
    await wire.over.addTimeout(10, reactor)
    assert wire.received == b""


@ensureDeferred
async def test_a_listener_that_stops_ends_handshakes(net):
    """Who has not proved anything yet is not waited for."""
    listener = net.master(net.certify("master"))
    wire = await wire_to(listener)
    await until(lambda: len(listener._listening.factory._begun) == 1)
    await net.agents[0].stopService()
    await wire.over.addTimeout(10, reactor)


@ensureDeferred
async def test_handshakes_beyond_the_limit_wait(net, monkeypatch):
    """Who says nothing holds a place for a moment only; an honest slave gets in after that."""
    monkeypatch.setattr(listening, "GRACE", 0.3)
    security = Security.of_folder(net.certify("master"), handshakes=3)
    listener = net.master(security)
    begun = listener._listening.factory._begun
    wires = [await wire_to(listener) for _ in range(3)]
    await until(lambda: len(begun) == 3)
    link = net.slave(net.certify("slave", host=""), listener.address)
    assert await link.call("greet", name="you") == "hello you"
    assert wires[0].over.called
    assert not wires[2].over.called
    assert len(begun) < 3
    for wire in wires:
        wire.transport.abortConnection()


@ensureDeferred
async def test_slaves_that_come_all_at_once_get_in(net):
    """None ends another's handshake, however few there may be at a time."""
    security = Security.of_folder(net.certify("master"), handshakes=2)
    listener = net.master(security)
    folder = net.certify("slave", host="")
    links = [net.slave(folder, listener.address, name=f"slave-{n}") for n in range(30)]
    refused = []
    for link in links:
        await link.connected()
        refused += [link.state] if "refused" in link.state else []
    assert len(net.agents[0].slaves) == 30
    assert refused == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"\0" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\xff\xff" + b"\1" * 70_000,
        b"\x80\x2e\1",
    ],
)
@ensureDeferred
async def test_garbage_ends_the_connection(net, garbage):
    """What is no TLS ends its connection, and no other."""
    security = Security.of_folder(net.certify("master"), handshake_time=0.5)
    listener = net.master(security)
    wire = await wire_to(listener)
    wire.transport.write(garbage)
    await wire.over.addTimeout(10, reactor)
    link = net.slave(net.certify("slave", host=""), listener.address)
    assert await link.call("greet", name="you") == "hello you"


def chain_of(folder, length: int) -> None:
    """Put `length` certificates that sign each other between an agent's and nobody."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "x")])
    extra = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, SHA256())
        .public_bytes(Encoding.PEM)
    )
    path = folder / "chain.pem"
    path.write_bytes((folder / "certificate.pem").read_bytes() + extra * length)


@ensureDeferred
async def test_a_chain_of_silly_length(net):
    """Certificates that nobody asked for are let go; OpenSSL ends it at 100 KiB of them."""
    listener = net.master(net.certify("master"))
    slave = net.certify("slave", host="")
    chain_of(slave, 20)
    assert await visit(listener, client_of(slave, "chain.pem")) == "TLSv1.3"
    chain_of(slave, 2000)
    assert await visit(listener, client_of(slave, "chain.pem")) != "TLSv1.3"
    link = net.slave(slave, listener.address)
    assert await link.call("greet", name="you") == "hello you"


@ensureDeferred
async def test_our_own_files_are_checked_at_the_start(net):
    """A missing, foreign or mismatched file is an error that names it."""
    folder = net.certify("master")
    for spoil, why in [
        (lambda: (folder / "key.pem").write_text("no"), "key.pem holds no private key"),
        (lambda: shutil.copy(net.certify("b") / "key.pem", folder), "is not the key of"),
        (lambda: (folder / "certificate.pem").unlink(), "certificate.pem: No such file"),
    ]:
        spoil()
        agent = net.agent("master", "master", folder)
        agent.listen("127.0.0.1:0")
        with pytest.raises(CredentialsRefused, match=why):
            agent.startService()
    with pytest.raises(CredentialsRefused, match="go together"):
        Security(certificate=folder / "certificate.pem")


@ensureDeferred
async def test_files_that_break_while_a_slave_connects(net):
    """A list that is just being copied does not leave a link without an end or a beginning."""
    listener = net.master(net.certify("master"))
    folder = net.certify("slave", host="")
    link = net.slave(folder, listener.address)  # which is connecting now
    (folder / "revoked.pem").unlink()
    await link.connected().addTimeout(5, reactor)


@ensureDeferred
async def test_who_never_joined_does_not_leave(net):
    """Whoever greets with the name of another is turned away, and the other is not missed."""
    listener = net.master(net.certify("master"))
    left = []
    net.agents[0].on_leave = lambda peer, reason: left.append(peer.name)
    honest = net.slave(net.certify("slave", host=""), listener.address)
    await honest.connected()
    impostor = net.slave(net.certify("thief", "slave", host=""), listener.address)
    await until(lambda: "is for thief, not for slave-1" in impostor.state)
    assert left == []
    assert honest.peer.is_open


@ensureDeferred
async def test_plaintext_stays_on_loopback(net):
    """Without a certificate neither end leaves loopback, unless told to."""
    agent = net.agent("master", "master", Security())
    agent.listen("0.0.0.0:0")
    with pytest.raises(PlaintextRefused, match="hip certs create"):
        agent.startService()
    link = net.slave(Security(), "192.0.2.1:7100")
    await until(lambda: "would not be encrypted" in link.state)
