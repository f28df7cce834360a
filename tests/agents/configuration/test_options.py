"""The options that every plugin takes."""

from pathlib import Path

import pytest
from attrs import frozen

from agents.configuration import EXIT_STATUS, AgentOptions


class CrawlerOptions(AgentOptions):
    agent = "site-crawler"


@frozen
class Section:
    delay: float = 0.5


def options(*arguments: str) -> AgentOptions:
    """Return the options of a command line."""
    parsed = CrawlerOptions()
    parsed.parseOptions(list(arguments))
    return parsed


def test_the_options_make_a_configuration(tmp_path: Path) -> None:
    """Folder, base port and name come from the command line."""
    parsed = options("--archive", str(tmp_path), "--base-port", "9000", "--name", "crawler-12")
    configuration = parsed.load()
    assert (configuration.directory, configuration.base_port) == (tmp_path, 9000)
    assert (parsed.name, parsed.number) == ("crawler-12", 12)


def test_without_a_name_an_agent_is_the_first_of_its_kind() -> None:
    """The kind is the name, and 1 the number."""
    assert (options().name, options().number) == ("site-crawler", 1)


@pytest.mark.parametrize("text", ["site-crawler:\n  deley: 1\n", "site-crowler: {}\n"])
def test_a_refused_configuration_ends_the_process_with_its_reason(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error, status 78, no traceback."""
    path = tmp_path / "tree.yaml"
    path.write_text(text)
    with pytest.raises(SystemExit) as caught:
        options("--config", str(path)).load().section("site-crawler", Section)
    assert caught.value.code == EXIT_STATUS
    error = capsys.readouterr().err
    assert "unknown key" in error
    assert error.count("\n") == 1
