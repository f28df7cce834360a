"""Which HTTP of an archive is encrypted, and that none beyond loopback is in the clear."""

from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.configuration import base_url, http_client, web_tls
from anet.errors import ForbiddenAddress
from anet.http import HttpServer, Request, Response
from hip import CredentialsRefused, PlaintextRefused, Security
from hip.certificates import Authority

HOME, AWAY = "127.0.0.1:7111", "192.0.2.1:7111"


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Security:
    """Return what guards a node that others reach at 192.0.2.1."""
    directory: Path = tmp_path_factory.mktemp("certs")
    Authority(directory).create("storage", ["storage-node"], ["192.0.2.1"])
    return Security.of_folder(directory / "storage")


def test_certificates_make_https_of_what_is_beyond_loopback(certified: Security) -> None:
    """On loopback HTTP stays as it was; without certificates there is no HTTPS."""
    assert base_url(certified, AWAY) == f"https://{AWAY}"
    assert base_url(certified, HOME) == f"http://{HOME}"
    assert base_url(certified, "[::1]:7111") == "http://[::1]:7111"
    assert base_url(Security(insecure=True), AWAY) == f"http://{AWAY}"
    assert web_tls(certified, AWAY, f"https://{AWAY}") is not None
    assert web_tls(certified, HOME, f"http://{HOME}") is None
    assert web_tls(certified, HOME, f"https://{AWAY}") is not None


@pytest.mark.parametrize(
    ("address", "url"),
    [(AWAY, f"http://{AWAY}"), (HOME, f"http://{AWAY}"), (AWAY, f"http://{HOME}")],
)
def test_nothing_is_served_in_the_clear_by_accident(
    certified: Security, address: str, url: str
) -> None:
    """Beyond loopback, where it listens or is reached, only who says so has it in the clear."""
    for security in (Security(), certified):
        with pytest.raises(PlaintextRefused, match=r"HTTP at 192.*hip certs create.*insecure"):
            web_tls(security, address, url)
    assert web_tls(Security(insecure=True), address, url) is None


def test_https_of_somebody_else_is_behind_loopback_only() -> None:
    """Without certificates a node may stand behind a server of TLS on its own machine."""
    assert web_tls(Security(), HOME, "https://archive.example") is None
    with pytest.raises(PlaintextRefused):
        web_tls(Security(), AWAY, "https://archive.example")


def test_a_certificate_that_nobody_would_believe_is_refused(certified: Security) -> None:
    """Its owner learns it at the start, with what to do."""
    for url in (f"https://{HOME}", "https://0.0.0.0:7111", "https://other.example"):
        with pytest.raises(CredentialsRefused, match=r"hip certs create --host.*`url`"):
            web_tls(certified, AWAY, url)


@ensureDeferred
async def test_a_client_says_nothing_in_the_clear_beyond_loopback() -> None:
    """Whoever names the node to it; where the network is trusted it does."""
    asked: list[Request] = []

    async def answer(request: Request) -> Response:
        asked.append(request)
        return Response(200)

    server = HttpServer(reactor, "127.0.0.1:0", answer, name="node")
    server.startService()
    shy, trusting = (http_client(reactor, Security(insecure=each)) for each in (False, True))
    url = f"http://0.0.0.0:{server.port}/"  # leads here, though it is no address of loopback
    with pytest.raises(ForbiddenAddress, match=r"0\.0\.0\.0 would not be encrypted"):
        await shy.request("PUT", url, [(b"Authorization", b"Bearer x")])
    assert asked == []
    assert (await trusting.request("GET", url)).head.status == 200
    for service in (shy, trusting, server):
        await service.stopService()
