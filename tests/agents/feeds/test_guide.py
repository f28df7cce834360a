"""The page on following feeds: its configuration is taken."""

import re
from pathlib import Path

import pytest

from agents.archive.config import ArchiveConfig
from agents.archive.plan import programs
from agents.configuration import ConfigurationError, load
from agents.feeds.config import FeedAggregatorConfig

_PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "follow-feeds.md"
_BLOCKS = re.findall(r"^```yaml\n(.*?)^```", _PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", _BLOCKS)
def test_every_piece_of_configuration_is_taken(tmp_path: Path, block: str) -> None:
    """No key of the page is unknown, and no value impossible."""
    file = tmp_path / "archive.yaml"
    file.write_text(block, "utf-8")
    configuration = load(file)
    configuration.section("feed-aggregator", FeedAggregatorConfig)
    configuration.section("archive", ArchiveConfig)


def test_the_tree_has_an_aggregator_when_it_is_turned_on() -> None:
    """By default no process is spent on feeds."""
    configuration = load()
    names = {each.name for each in programs(configuration, ArchiveConfig())}
    assert "feed-aggregator" not in names
    turned_on = programs(configuration, ArchiveConfig(feed_aggregator=True))
    assert {each.name for each in turned_on} - names == {"feed-aggregator"}


def test_hubs_need_both_an_address_and_a_callback(tmp_path: Path) -> None:
    """One without the other is refused in words."""
    file = tmp_path / "archive.yaml"
    file.write_text("feed-aggregator:\n  hub_address: 127.0.0.1:7195\n", "utf-8")
    with pytest.raises(ConfigurationError, match="hub_callback"):
        load(file).section("feed-aggregator", FeedAggregatorConfig)
