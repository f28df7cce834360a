"""The sections of the configuration."""

import pytest
from twisted.internet.defer import ensureDeferred as run
from twisted.internet.task import Clock

from agents.crawler.config import NurseryConfig, SiteCrawlerConfig
from agents.crawler.names import make_resolver


def test_defaults_are_valid() -> None:
    """An empty section is one."""
    assert SiteCrawlerConfig().urls > 0
    assert NurseryConfig().crawlers == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"urls": 0},
        {"silence": 0.0},
        {"longest_rest": -1.0},
        {"pages": "nowhere"},
        {"name_servers": ["ns.example"]},
        {"name_servers": ["192.0.2.1:0"]},
        {"hosts": ["site.example 192.0.2.1"]},
        {"hosts": ["192.0.2.1"]},
    ],
)
def test_impossible_values(fields: dict[str, object]) -> None:
    """What can't be is refused."""
    with pytest.raises(ValueError):
        SiteCrawlerConfig(**fields)


def test_names() -> None:
    """Our own client by default, with the operator's servers and table; the system if told so."""
    config = SiteCrawlerConfig(name_servers=["192.0.2.1", "[::1]:5353"], hosts=["192.0.2.7 a b"])
    made = make_resolver(Clock(), config)
    assert run(made.resolve("b")).result == ("192.0.2.7",)
    assert make_resolver(Clock(), SiteCrawlerConfig(names="system")) is None
