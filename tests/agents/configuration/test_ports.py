"""Where agents listen."""

import pytest

from agents.configuration import Port, address, port, site_crawler, storage_node


def test_each_agent_has_ports_of_its_own() -> None:
    """No two agents of an archive share a port, whatever their numbers."""
    numbered = [storage_node(n) for n in range(1, 10)] + [site_crawler(n) for n in range(1, 75)]
    fixed = [
        offset for offset in Port if offset not in (Port.STORAGE_NODE, Port.SITE_CRAWLER_PAGES)
    ]
    ports = [port(7100, offset) for offset in [*fixed, *numbered]]
    assert len(ports) == len(set(ports))
    assert max(ports) <= 7199


def test_an_address_of_ones_own_stands() -> None:
    """A configured address replaces the computed one."""
    assert address(7100, Port.SCHEDULER_PAGES) == "127.0.0.1:7101"
    assert address(7100, Port.SCHEDULER_PAGES, "[::1]:80") == "[::1]:80"


@pytest.mark.parametrize("number", [0, 10, -1])
def test_a_number_without_a_port_is_refused(number: int) -> None:
    """A storage node past the ninth must be given an address."""
    with pytest.raises(ValueError, match="address of its own"):
        storage_node(number)
