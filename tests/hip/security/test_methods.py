"""Roles: a certificate cannot call what only others may."""

import pytest
from pytest_twisted import ensureDeferred

from hip import RemoteError, exposed


class Guarded:
    """Methods for some."""

    @exposed(roles=("scheduler",))
    def collect(self) -> str:
        """For schedulers."""
        return "collecting"

    @exposed(roles=("master",))
    def stop(self) -> str:
        """For the agent's own master."""
        return "stopped"


def agents(net):
    """Start a scheduler with two slaves that guard their methods; return link by name."""
    scheduler = net.agent("scheduler", "scheduler", net.certify("scheduler"), Guarded())
    listener = scheduler.listen("127.0.0.1:0")
    scheduler.startService()
    links = {}
    for name, *roles in [("crawler", "site-crawler", "master"), ("alice", "operator")]:
        kind = "console" if name == "alice" else "site-crawler"
        agent = net.agent(kind, f"{name}-1", net.certify(name, *roles, host=""), Guarded())
        links[name] = agent.connect(listener.address)
        agent.startService()
    return scheduler, links


@ensureDeferred
async def test_a_crawler_cannot_call_what_only_a_scheduler_may(net):
    """The certificate decides, and the refusal says which role is needed."""
    scheduler, links = agents(net)
    with pytest.raises(RemoteError, match="collect is for scheduler") as caught:
        await links["crawler"].call("collect")
    assert caught.value.code == "forbidden"
    crawler = scheduler.slaves["crawler-1"]
    assert (await crawler.call("collect"), await crawler.call("stop")) == ("collecting", "stopped")


@ensureDeferred
async def test_no_certificate_makes_a_master(net):
    """`master` is a place on the tree: a role of that name in a certificate is worth nothing."""
    _, links = agents(net)
    with pytest.raises(RemoteError, match="stop is for master"):
        await links["crawler"].call("stop")


@ensureDeferred
async def test_only_operators_route_through_an_agent(net):
    """Routing lends the router's rights, so that a slave may not ask its master for it."""
    scheduler, links = agents(net)
    await links["crawler"].call("hip.tree")
    await links["alice"].connected()
    path = {"path": ["crawler-1"], "method": "collect", "arguments": {}}
    assert await links["alice"].call("hip.route", **path) == "collecting"
    with pytest.raises(RemoteError, match=r"hip.route is for master or operator"):
        await links["crawler"].call("hip.route", **path)


def test_roles_are_more_than_letters():
    """A single role without its tuple is a mistake that says so."""
    with pytest.raises(TypeError, match="write a tuple"):
        exposed(roles="scheduler")
