"""The scheduler's HTTP interface for programs: the operator's methods, and what they refuse."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_twisted import ensureDeferred

from agents.scheduler.api import LOOKS

REFERENCE = Path(__file__).parents[4] / "docs" / "reference" / "scheduler-http.md"


@ensureDeferred
async def test_it_offers_what_hip_offers_to_an_operator(running: Any) -> None:
    """Every method for operators is there, no other, and each is in the reference."""
    status, text = await running.get("/api")
    assert status == 200
    offered = {each["name"]: each for each in msgspec.json.decode(text)["methods"]}
    methods = running.service.agent.methods
    theirs = {name for name in methods if "operator" in methods[name].roles}
    assert set(offered) == theirs - {"hip.route"}
    assert set(offered) >= LOOKS and {"decide", "settle", "put_campaign", "order"} <= set(offered)
    reference = REFERENCE.read_text("utf-8")
    for name in offered:
        assert f"`{name}" in reference, name
        assert offered[name]["words"]


@ensureDeferred
async def test_a_program_looks_and_decides(running: Any) -> None:
    """GET looks, POST decides; both give JSON."""
    status, text = await running.get("/api/portion?days=3")
    found = msgspec.json.decode(text)
    assert status == 200 and len(found["days"]) == 3
    assert found["standings"] == {"member": 5, "discovered": 30, "blacklisted": 1}
    status, text = await running.get("/api/find_sites?beginning=c&limit=2")
    assert [each["site"] for each in msgspec.json.decode(text)["sites"]] == [
        "c00.example",
        "c01.example",
    ]
    decision = {"site": "c00.example", "decision": "admit", "who": "Ada", "why": "it looks good"}
    assert await running.api("decide", **decision) == (200, "temporary")
    story = (await running.api("site", site="c00.example"))[1]["story"]
    assert (story[0]["who"], story[0]["what"], story[0]["why"]) == (
        "Ada",
        "admitted",
        "it looks good",
    )
    graph = (await running.api("graph", site="m0.example", size=10))[1]
    assert graph["nodes"][0]["site"] == "m0.example" and len(graph["nodes"]) == 10
    assert all(0 <= end < 10 for link in graph["links"] for end in link[:2])


@ensureDeferred
@pytest.mark.parametrize(
    ("method", "arguments", "status", "code"),
    [
        ("nothing", {}, 404, "unknown-method"),
        ("ready", {}, 404, "unknown-method"),  # for crawlers, not for operators
        ("site", {"site": "nobody"}, 404, "no-such-site"),
        ("site", {}, 400, "bad-arguments"),
        ("decide", {"site": "m0.example", "decision": "eat"}, 400, "bad-decision"),
        ("find_sites", {"order": "nonsense"}, 400, "bad-question"),
        ("bound", {"site": "m0.example", "maximum_depth": -5}, 400, "bad-decision"),
        ("bound", {"site": "m0.example", "maximum_depth": 2**63}, 400, "bad-decision"),
        (
            "settle",
            {"site": "m0.example", "settings": {"maximum_depth": 2**80}},
            400,
            "bad-arguments",
        ),
        ("order", {"urls": ["nonsense"]}, 400, "bad-order"),
    ],
)
async def test_a_refusal_has_a_code_and_says_what_to_do(
    running: Any, method: str, arguments: dict[str, Any], status: int, code: str
) -> None:
    """Errors are JSON, with the code that HIP gives."""
    told, error = await running.api(method, **arguments)
    assert (told, error["error"]) == (status, code) and len(error["message"]) > 10


@ensureDeferred
async def test_what_is_no_call_is_refused(running: Any) -> None:
    """Another type, no JSON, no object, GET for a change, and what does not exist."""
    for body, kind, status in (
        (b"{}", "text/plain", 400),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"a": "' + b"x" * 5_000_000 + b'"}', "application/json", 413),
    ):
        answer = await running.post("/api/decide", body, kind)
        assert answer[0] == status and "message" in msgspec.json.decode(answer[1])
    assert (await running.get("/api/decide"))[0] == 405
    assert (await running.get("/api/a/b"))[0] == 404
    assert (await running.get(f"/api/timeline?days={'9' * 5000}"))[0] == 400


@ensureDeferred
async def test_nobody_decides_in_the_name_of_the_scheduler(running: Any) -> None:
    """What it decides does not stick; what a person does sticks, whatever they call themselves."""
    named = {"site": "m0.example", "who": "scheduler"}
    assert await running.api("decide", **named, decision="rest") == (200, "dormant")
    assert (await running.api("prioritise", **named, priority=0.25))[0] == 200
    found = (await running.api("site", site="m0.example"))[1]
    assert found["held"] == ["priority", "standing"]
    assert {line["who"] for line in found["story"][:2]} == {"scheduler (by hand)"}


@ensureDeferred
async def test_changes_from_elsewhere_need_the_secret(running: Any) -> None:
    """Whoever comes through a proxy shows the secret; another site's page decides nothing."""
    elsewhere = {"X-Forwarded-For": "192.0.2.1"}
    wanted = {"site": "m0.example", "decision": "rest"}
    status, error = await running.api("decide", elsewhere, **wanted)
    assert (status, error["error"]) == (401, "credential") and "secret" in error["message"]
    wrong = elsewhere | {"Authorization": "Bearer nonsense"}
    assert (await running.api("decide", wrong, **wanted))[0] == 401
    assert (await running.api("portion", elsewhere))[0] == 200  # looking is free
    other = {"Origin": "http://evil.example"}
    assert (await running.api("decide", other, **wanted))[1]["error"] == "other-site"
    bearer = elsewhere | {"Authorization": f"Bearer {running.secret}"}
    assert await running.api("decide", bearer, **wanted) == (200, "dormant")
    basic = b64encode(f"ada:{running.secret}".encode()).decode()
    named = elsewhere | {"Authorization": f"Basic {basic}"}
    assert await running.api("decide", named, **wanted | {"decision": "wake"}) == (200, "member")
