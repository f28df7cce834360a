"""The sections of the configuration."""

import pytest

from agents.crawler.config import NurseryConfig, SiteCrawlerConfig


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
