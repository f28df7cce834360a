"""What the agent keeps for its readers outlasts it, and follows what people change."""

import json

import pytest
from pytest_twisted import ensureDeferred

from agents.configuration import Configuration, ConfigurationError
from agents.consultation.config import ConsultationConfig
from agents.consultation.errors import Faulted
from agents.consultation.keeping import Keeping

TAKEDOWN = "- urls: a.example\n  kind: takedown\n  reason: asked for\n"
URL = "http://a.example/"


@pytest.fixture
def keeping(reactor, tmp_path):
    """Return a function that begins to keep in one folder."""

    def begin(**keys):
        config = ConsultationConfig(**keys)
        return Keeping(reactor, "consultation", Configuration(tmp_path, 7100), config)

    return begin


@ensureDeferred
async def test_dates_outlast_a_restart(keeping):
    """A reader goes on where they were."""
    first = keeping()
    first.startService()
    first.readers.choose("~anna", date="20200101000000000000")
    await first.stopService()
    assert keeping().readers.choice_of("~anna").date == "20200101000000000000"


@ensureDeferred
async def test_rules_are_taken_while_it_runs(keeping, tmp_path):
    """And those that are broken are told, and change nothing."""
    one = keeping(audit_log=True)
    one.startService()
    path = tmp_path / "access-rules.yaml"
    path.write_text(TAKEDOWN)
    await one.look()
    with pytest.raises(Faulted):
        one.rules.check(URL)
    path.write_text("- urls: [")
    await one.look()
    assert "access-rules.yaml" in one.status()["access_rules_trouble"]
    (note,) = one.notes()
    assert "The former 1 hold on" in note.text
    with pytest.raises(Faulted):
        one.rules.check(URL)
    await one.stopService()
    log = (tmp_path / "consultation" / "audit.jsonl").read_text().splitlines()
    events = [json.loads(line)["event"] for line in log]
    assert events == ["start", "rules", "rules refused", "stop"]


def test_broken_rules_keep_the_agent_from_starting(keeping, tmp_path):
    """It would show what it should not."""
    (tmp_path / "access-rules.yaml").write_text("- urls: [")
    with pytest.raises(ConfigurationError, match=r"access-rules\.yaml"):
        keeping()


@pytest.mark.parametrize(
    ("keys", "logs"),
    [
        ({}, False),
        ({"proxy": "[::1]:7106"}, False),
        ({"proxy": "0.0.0.0:7106"}, True),
        ({"proxy": "0.0.0.0:7106", "audit_log": False}, False),
        ({"audit_log": True}, True),
    ],
)
@ensureDeferred
async def test_who_reads_from_elsewhere_is_logged(keeping, tmp_path, keys, logs):
    """Unless the operator says otherwise."""
    one = keeping(**keys)
    one.startService()
    await one.stopService()
    assert (tmp_path / "consultation" / "audit.jsonl").exists() is logs
