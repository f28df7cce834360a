"""The certificates of agents for HTTP: whom a server hears, and whom a client believes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates

from anet.errors import HttpError, TlsFailed
from anet.http import HttpClient, HttpServer, Request, Response
from hip import CredentialsRefused, Security
from hip.certificates import Authority
from hip.security import WebTls
from tests.hip.security.conftest import ago


class Web:
    """One server, and clients with certificates of one authority or another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tls = self.of("server", "127.0.0.1")
        self.running: list[Any] = []

    def of(self, name: str, host: str = "", authority: str = "certs", **how: Any) -> WebTls:
        """Return what has a new certificate."""
        made = Authority(self.folder / authority, how.pop("now", None))
        made.create(name, hosts=[host] if host else [], **how)
        return WebTls(Security.of_folder(made.directory / name))

    def serve(self, tls: WebTls | None = None) -> str:
        """Start a server that says whether it trusts who asks; return its URL."""
        shown = tls or self.tls

        async def answer(request: Request) -> Response:
            return Response.text(200, str(shown.trusts(request.certificate, ["client"])))

        server = HttpServer(reactor, "127.0.0.1:0", answer, name="test", tls=shown)
        server.startService()
        self.running.append(server)
        return f"https://{server.address}/"

    def client(self, tls: WebTls) -> Callable[[str], Any]:
        """Return what asks with a certificate, and gives the answer."""
        client = HttpClient(reactor, tls=tls.client)
        self.running.append(client)

        async def ask(url: str) -> str:
            return (await (await client.request("GET", url)).read(1000)).decode()

        return ask


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    """A web that ends with the test."""
    web = Web(tmp_path)
    yield web
    for service in reversed(web.running):
        pytest_twisted.blockon(ensured(service.stopService()))


@ensureDeferred
async def test_agents_of_one_authority_trust_each_other(web: Web) -> None:
    """Both certificates are good, so that the answer comes and says so."""
    assert await web.client(web.of("client"))(web.serve()) == "True"


@ensureDeferred
async def test_who_shows_nothing_is_heard_and_not_trusted(web: Web) -> None:
    """A browser, which has no certificate, reads and no more."""
    authority = (web.folder / "certs" / "server" / "authority.pem").read_bytes()
    trusted = trustRootFromCertificates([Certificate.loadPEM(authority)])
    client = HttpClient(reactor, tls=lambda host: optionsForClientTLS(host, trusted))
    web.running.append(client)
    answer = await client.request("GET", web.serve())
    assert await answer.read(1000) == b"False"


@ensureDeferred
async def test_who_has_another_role_is_heard_and_not_trusted(web: Web) -> None:
    """A certificate of the authority is good for what its roles say."""
    assert await web.client(web.of("crawler"))(web.serve()) == "False"


@ensureDeferred
async def test_a_client_of_another_authority_is_not_heard(web: Web) -> None:
    """Even when it takes the server for good, the server ends the handshake."""
    other = web.of("client", authority="others")
    own = web.folder / "certs" / "server" / "authority.pem"
    for name in ("authority.pem", "revoked.pem"):
        (web.folder / "others" / "client" / name).write_bytes((own.parent / name).read_bytes())
    with pytest.raises(HttpError):
        await web.client(other)(web.serve())


@ensureDeferred
async def test_a_server_of_another_authority_is_not_believed(web: Web) -> None:
    """The error says why."""
    url = web.serve(web.of("server", "127.0.0.1", authority="others"))
    with pytest.raises(TlsFailed, match="its certificate comes from another authority"):
        await web.client(web.of("client"))(url)


@ensureDeferred
async def test_a_server_at_another_host_is_not_believed(web: Web) -> None:
    """A good certificate for elsewhere, or for no host at all, is not good here."""
    client = web.client(web.of("client"))
    with pytest.raises(TlsFailed, match=r"shown at 127\.0\.0\.1 is not for 127\.0\.0\.1"):
        await client(web.serve(web.of("elsewhere", "192.0.2.1")))
    with pytest.raises(TlsFailed, match="its certificate is not for this"):
        await client(web.serve(web.of("hostless")))


@ensureDeferred
async def test_a_revoked_client_is_not_trusted_from_then_on(web: Web) -> None:
    """Neither over the connection that it has, nor over a new one."""
    tls, url = web.of("client"), web.serve()
    kept = web.client(tls)
    assert await kept(url) == "True"
    Authority(web.folder / "certs").revoke("client")
    assert await kept(url) == "False"
    with pytest.raises(HttpError):
        await web.client(tls)(url)


@ensureDeferred
async def test_a_revoked_server_is_not_believed(web: Web) -> None:
    """A new connection to it fails, with the reason."""
    client = web.client(web.of("client"))
    Authority(web.folder / "certs").revoke("server")
    with pytest.raises(TlsFailed, match="its certificate has been revoked"):
        await client(web.serve())


@ensureDeferred
async def test_files_that_are_not_in_order_let_nobody_in(web: Web) -> None:
    """A server says no to all, a client says why it does not ask, until they are renewed."""
    url, good = web.serve(), web.of("client")
    old = web.of("old", now=ago(days=60), days=30)
    with pytest.raises(TlsFailed, match="hip certs renew"):
        await web.client(old)(url)
    key = web.folder / "certs" / "server" / "key.pem"
    key.chmod(0o644)
    with pytest.raises(TlsFailed):
        await web.client(good)(url)
    key.chmod(0o600)
    assert await web.client(good)(url) == "True"


def test_a_certificate_is_for_its_hosts(web: Web) -> None:
    """Known before anybody is let down by it; files that are missing are named."""
    tls = web.of("node", "node.example")
    assert tls.is_for("node.example")
    assert not tls.is_for("127.0.0.1") and not tls.is_for("") and not tls.is_for("-")
    with pytest.raises(CredentialsRefused, match="certificate.pem"):
        WebTls(Security.of_folder(web.folder / "nobody")).is_for("node.example")
