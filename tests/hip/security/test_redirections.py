"""A redirection never leads out of what the link was closed with."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from hip import Agent, Security
from tests.hip.security.conftest import until


@pytest.fixture
def other(tmp_path):
    """Return a master elsewhere that takes anybody, and where it can be reached."""
    agent = Agent(reactor, "master", "other")
    listener = agent.listen("127.0.0.1:0")
    socket = agent.listen(f"unix:{tmp_path}/other")
    agent.startService()
    yield agent, {"plaintext": listener, "socket": socket}
    agent.stopService()


@ensureDeferred
@pytest.mark.parametrize("way", ["plaintext", "socket"])
async def test_tls_leads_to_tls_only(net, other, way):
    """A slave that has spoken TLS says nothing in the clear, wherever its master sends it."""
    agent, listeners = other
    home = net.master(net.certify("master"))
    joined = []
    net.agents[0].on_join = lambda peer: (joined.append(peer.name), redirect(peer))
    target = listeners[way].address

    def redirect(peer):
        if len(joined) == 1:
            peer.redirect(target)

    link = net.slave(net.certify("slave", host=""), home.address)
    await until(lambda: len(joined) == 2)
    assert agent.slaves == {}
    assert await link.call("greet", name="you") == "hello you"
    assert link.peer.roles is not None


@ensureDeferred
async def test_from_tls_to_a_master_of_the_same_authority(net):
    """The new master proves who it is like the first."""
    folder = net.certify("master")
    away, home = net.master(folder), net.master(folder)
    net.agents[1].on_join = lambda peer: peer.redirect(away.address)
    link = net.slave(net.certify("slave", host=""), home.address)
    await until(lambda: net.agents[0].slaves)
    await until(lambda: link.peer is not None and link.peer.roles is not None)


@ensureDeferred
async def test_to_a_master_of_another_authority(net):
    """One that only looks like a master is not served; the slave comes home."""
    strange = net.master(net.certify("master", authority="others"))
    home = net.master(net.certify("master"))
    joined = []

    def join(peer):
        joined.append(peer)
        if len(joined) == 1:
            peer.redirect(strange.address)

    net.agents[1].on_join = join
    net.slave(net.certify("slave", host=""), home.address)
    await until(lambda: len(joined) == 2)
    assert net.agents[0].slaves == {}


@ensureDeferred
async def test_from_a_socket_beyond_loopback_only_with_a_certificate(net, tmp_path):
    """A master on this machine cannot talk its slave into plaintext beyond it."""
    home = net.master(Security(), f"unix:{tmp_path}/home")
    joined = []

    def join(peer):
        joined.append(peer)
        if len(joined) == 1:
            peer.redirect("192.0.2.1:7100")

    net.agents[0].on_join = join
    link = net.slave(Security(), home.address)
    states = []
    await until(lambda: states.append(link.state) or len(joined) == 2)
    assert any("would not be encrypted" in state for state in states)
