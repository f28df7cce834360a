"""The way in, on the agent as it runs: https:// through tunnels, TLS of the proxy, credentials."""

import ssl
from base64 import b64encode

import pytest
import pytest_twisted
from attrs import evolve
from cryptography.hazmat.primitives.serialization import Encoding
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.configuration import Configuration, ConfigurationError
from agents.consultation.access import credentials
from agents.consultation.access.credentials import add_reader
from agents.consultation.access.opening import check_opening, speaks_tls
from agents.consultation.config import ConsultationConfig
from agents.consultation.proxy.authority import authority_of
from agents.consultation.service import Consultation
from tests.agents.consultation.test_service import Running
from tests.anet.tunnelling import Tls, Wire

SITE = "https://www.example.org/"
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def trusting(folder) -> ssl.SSLContext:
    """Return what a browser does that trusts the archive's authority, and no other."""
    pem = authority_of(folder).certificate.public_bytes(Encoding.PEM).decode()
    context = ssl.create_default_context(cadata=pem)
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


@pytest_twisted.async_yield_fixture
async def start(reactor, archive, tmp_path):
    """Return what starts an agent with these keys."""
    running = []

    def begin(**keys):
        running.append(Running(reactor, archive, tmp_path, lookup="index", **keys))
        return running[-1].agent

    yield begin
    for each in running:
        await each.stop()


@ensureDeferred
async def test_https_by_a_client_that_checks(archive, start, tmp_path):
    """Several hosts, addresses and ports, one after another on kept connections."""
    archive.add(SITE, b"<p>secure", head=HTML)
    archive.add("https://192.0.2.1:8443/a?b", b"address", head=HTML)
    archive.add("https://[2001:db8::1]/", b"six", head=HTML)
    archive.add("https://xn--bcher-kva.example/", b"books", head=HTML)
    agent = start()
    context = trusting(tmp_path)

    def ask():
        said = []
        for to, name, target in (
            ("www.example.org:443", "www.example.org", "/"),
            ("192.0.2.1:8443", "192.0.2.1", "/a?b"),
            ("[2001:db8::1]:443", "2001:db8::1", "/"),
            ("xn--bcher-kva.example:443", "bücher.example", "/"),
        ):
            wire = Wire(agent.proxy.port)
            assert wire.connect(to) == ESTABLISHED
            inside = Tls(wire, context, name)
            assert inside.tls.selected_alpn_protocol() == "http/1.1"
            for _ in range(3):
                said.append(inside.get(target, "Host: elsewhere.example"))
            assert inside.get("/missing")[0] == 404
            inside.close()
        return said

    said = await deferToThread(ask)
    assert said == [
        (200, body) for body in (b"<p>secure", b"address", b"six", b"books") for _ in range(3)
    ]
    status = agent.status()
    assert (status["outcomes"]["tunnel"], status["outcomes"]["hit"]) == (4, 12)


@ensureDeferred
async def test_a_tunnel_leads_nowhere_else(start, reactor, monkeypatch):
    """Whatever CONNECT names, no connection is made."""
    agent = start()
    made = set()
    connect = reactor.connectTCP

    def note(host, port, *others, **how):
        made.add(port)
        return connect(host, port, *others, **how)

    monkeypatch.setattr(reactor, "connectTCP", note)

    def ask():
        for to in ("127.0.0.1:22", "169.254.169.254:80", "localhost:25", "example.org:443"):
            wire = Wire(agent.proxy.port)
            assert wire.connect(to) == ESTABLISHED
            wire.send(b"EHLO x\r\n\r\n")
            assert wire.rest().startswith(b"HTTP/1.1 400 ")
        wire = Wire(agent.proxy.port)
        assert wire.connect("example.org:443") == ESTABLISHED
        wire.send(b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
        return wire.rest()

    assert b"\r\nDlweb-Fault: no-websocket\r\n" in await deferToThread(ask)
    assert made.isdisjoint({22, 25, 80, 443})  # others are those of the archive's nodes


@ensureDeferred
async def test_without_tls_there_is_no_tunnel(start):
    """The operator may turn https:// off, and then the authority is not offered."""
    agent = start(tls=False)
    head = await deferToThread(lambda: Wire(agent.proxy.port).connect("example.org:443"))
    assert head.startswith(b"HTTP/1.1 501 ")
    status, _ = await deferToThread(lambda: Wire(agent.pages.port).get("/certificate.pem"))
    assert status == 404


@ensureDeferred
async def test_the_proxy_itself_over_tls(archive, start, tmp_path):
    """By the address that was reached or by any name; and inside it another host's TLS."""
    archive.add(SITE, b"<p>secure", head=HTML)
    agent = start(proxy_tls=True, pages_tls=True)
    context = trusting(tmp_path)

    def ask():
        for name in ("127.0.0.1", "proxy.example"):
            outer = Tls(Wire(agent.proxy.port), context, name)
            assert outer.get("http://dlweb/status.json")[0] == 200
            assert outer.connect("www.example.org:443") == ESTABLISHED
            inside = Tls(outer, context, "www.example.org")
            assert inside.get("/") == (200, b"<p>secure")
            inside.close()
        pages = Tls(Wire(agent.pages.port), context, "127.0.0.1")
        return pages.get("/proxy.pac", "Host: 127.0.0.1:7107")

    status, script = await deferToThread(ask)
    assert status == 200 and f'"HTTPS 127.0.0.1:{agent.proxy.port}"'.encode() in script
    assert agent.proxy.url.startswith("https://")


@ensureDeferred
async def test_what_a_browser_is_set_up_with(start, tmp_path):
    """The certificate in both forms, and a script that names the host as the reader does."""
    agent = start(page_hosts=["archive.example"])
    certificate = authority_of(tmp_path).certificate

    def ask(target, host="127.0.0.1"):
        return Wire(agent.pages.port).get(target, f"Host: {host}")

    assert await deferToThread(ask, "/certificate.crt") == (
        200, certificate.public_bytes(Encoding.DER),
    )  # fmt: skip
    assert await deferToThread(ask, "/certificate.pem") == (
        200, certificate.public_bytes(Encoding.PEM),
    )  # fmt: skip
    port = agent.proxy.port
    for host, named in (("archive.example:7107", "archive.example"), ("[::1]:7107", "[::1]")):
        _, script = await deferToThread(ask, "/proxy.pac", host)
        assert f'return "PROXY {named}:{port}";'.encode() in script
    through = await deferToThread(lambda: Wire(port).get("http://dlweb/proxy.pac", "Host: dlweb"))
    assert f'"PROXY 127.0.0.1:{port}"'.encode() in through[1]


@ensureDeferred
async def test_a_credential_opens_every_door_and_names_the_reader(
    archive, start, tmp_path, monkeypatch
):
    """On proxy, tunnel and pages alike; what the reader chose is theirs wherever they come from."""
    monkeypatch.setattr(credentials, "_COST", 10)
    add_reader(tmp_path, "anna", "correct horse")
    archive.add(SITE, b"old", head=HTML, date="20200101000000000000")
    archive.add(SITE, b"new", head=HTML, date="20260101000000000000")
    agent = start(credentials="always")
    agent.readers.choose("anna", date="20200101000000000000")
    coded = b64encode(b"anna:correct horse").decode()
    shown = f"Proxy-Authorization: Basic {coded}"
    context = trusting(tmp_path)

    def ask():
        refused = Wire(agent.proxy.port).connect("www.example.org:443")
        assert refused.startswith(b"HTTP/1.1 407 ") and b"\r\nProxy-Authenticate: Basic" in refused
        assert Wire(agent.proxy.port).get("http://dlweb/")[0] == 407
        assert Wire(agent.pages.port).get("/harbor", "Host: a")[0] == 401
        assert Wire(agent.pages.port).get("/certificate.crt", "Host: a")[0] == 200
        field = f"Authorization: Basic {coded}"
        assert Wire(agent.pages.port).get("/harbor", "Host: a", field)[0] == 200
        wire = Wire(agent.proxy.port)
        assert wire.connect("www.example.org:443", shown) == ESTABLISHED
        return Tls(wire, context, "www.example.org").get("/")

    assert await deferToThread(ask) == (200, b"old")
    assert agent.status()["outcomes"]["refused"] == 3
    logged = b"".join(each.read_bytes() for each in tmp_path.rglob("*audit*") if each.is_file())
    assert coded.encode() not in logged and b"horse" not in logged


def test_doors_that_nobody_can_pass_are_not_opened():
    """Beyond loopback somebody needs a credential, or the operator says that nobody does."""
    check_opening("beyond-loopback", "127.0.0.1:7106", 0, "tree.yaml")
    check_opening("beyond-loopback", "0.0.0.0:7106", 1, "tree.yaml")
    check_opening("none", "0.0.0.0:7106", 0, "tree.yaml")
    for asking, address in (("beyond-loopback", "[::]:7106"), ("always", "127.0.0.1:7106")):
        with pytest.raises(ConfigurationError, match=r"tree\.yaml: consultation\.credentials: "):
            check_opening(asking, address, 0, "tree.yaml")


def test_beyond_loopback_servers_speak_tls_unless_said_otherwise():
    """A password is not sent in the clear by mistake."""
    assert speaks_tls(None, "0.0.0.0:7106") and not speaks_tls(None, "localhost:7106")
    assert not speaks_tls(False, "0.0.0.0:7106") and speaks_tls(True, "127.0.0.1:7106")


@pytest.mark.parametrize("name", ["readers", "authority.pem"])
def test_a_damaged_file_keeps_the_agent_from_starting(reactor, tmp_path, name):
    """It says which file, and what to do."""
    (tmp_path / name).write_text("nonsense")
    config = evolve(ConsultationConfig(), proxy="127.0.0.1:0", pages="127.0.0.1:0")
    with pytest.raises(ConfigurationError, match=name):
        Consultation(reactor, "consultation", Configuration(tmp_path, 7100), config)
