"""`dlweb access`: rules are added, listed, tried and taken out, and the story tells by whom."""

import json

import pytest
from pytest_twisted import ensureDeferred

from agents.archive.command.access import access
from agents.archive.command.arguments import parse
from agents.archive.errors import ArchiveError
from agents.consultation.access.rules_file import read_rules


@pytest.fixture
def run(reactor, tmp_path, capsys):
    """Return a function that runs a command line; it gives status and output."""

    async def run(*words):
        options = parse(["access", *words, "--archive", str(tmp_path)])
        status = await access(reactor, options)
        return status, capsys.readouterr().out

    return run


@pytest.fixture
def reactor():
    """The real reactor."""
    from twisted.internet import reactor

    return reactor


@ensureDeferred
async def test_a_takedown_from_beginning_to_end(run, tmp_path):
    """Added, listed, in force, and taken back; each with who and why."""
    said = ["example.org/private", "--reason", "Asked for", "--who", "anna", "--why", "a letter"]
    status, output = await run("add", *said)
    name = output.partition(":")[0]
    assert status == 0
    (rule,) = read_rules(tmp_path / "access-rules.yaml")
    assert (rule.name, rule.kind, rule.who, rule.why) == (name, "takedown", "anna", "a letter")
    assert name in (await run("list"))[1] and "Asked for" in (await run("list"))[1]
    assert await run("check", "http://www.example.org/private/x") == (
        1, f"kept back by {name}: Asked for\n",
    )  # fmt: skip
    assert await run("check", "http://example.org/") == (0, "shown\n")
    assert (await run("remove", name, "--who", "ben"))[0] == 0
    assert (await run("check", "http://example.org/private/x"))[0] == 0
    story = (tmp_path / "access-rules.story").read_text().splitlines()
    told = [json.loads(line) for line in story]
    assert [(one["what"], one["rule"], one["who"]) for one in told] == [
        ("add", name, "anna"), ("remove", name, "ben"),
    ]  # fmt: skip
    assert (tmp_path / "access-rules.story").stat().st_mode & 0o777 == 0o600


@ensureDeferred
async def test_an_embargo_of_some_captures(run):
    """Which ones is said where no date is asked for."""
    await run(
        "add", "*.news.example", "--reason", "An agreement", "--until", "3 years after capture",
        "--reader", "anna",
    )  # fmt: skip
    status, output = await run("check", "http://a.news.example/")
    assert status == 0 and "for 3 years" in output and output.endswith("shown\n")
    young = ["check", "http://a.news.example/", "--date", "9990"]
    assert (await run(*young))[0] == 1
    assert (await run(*young, "--reader", "anna"))[0] == 0
    assert (await run("check", "http://a.news.example/", "--date", "2001"))[0] == 0
    listed = json.loads((await run("list", "--json"))[1])
    assert (listed["kind"], listed["captures"]) == ("embargo", "for 3 years")


@pytest.mark.parametrize(
    "words",
    [
        ["add", "http://", "--reason", "x"],
        ["add", "a.example", "--reason", "x", "--until", "soon"],
        ["add", "a.example", "--reason", ""],
        ["remove", "00000000"],
    ],
)
@ensureDeferred
async def test_what_is_wrong_changes_nothing(run, tmp_path, words):
    """It is said in words, and no rule is lost."""
    await run("add", "a.example", "--reason", "x")
    before = (tmp_path / "access-rules.yaml").read_bytes()
    with pytest.raises(ArchiveError):
        await run(*words)
    assert (tmp_path / "access-rules.yaml").read_bytes() == before


@ensureDeferred
async def test_a_broken_file_is_not_made_worse(run, tmp_path):
    """Whoever broke it mends it first."""
    (tmp_path / "access-rules.yaml").write_text("- urls: [")
    for words in (["list"], ["add", "a.example", "--reason", "x"]):
        with pytest.raises(ArchiveError, match="YAML"):
            await run(*words)
    assert (tmp_path / "access-rules.yaml").read_text() == "- urls: ["
