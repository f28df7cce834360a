"""The filter on the disk: as good as a survey, or not used at all."""

import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.storage.disk import filter_file, scan
from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.holdings import Holdings, survey
from agents.storage.disk.layout import Layout
from agents.storage.disk.store import DiskStore
from anet.tasks import sleep

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(12)]

steps = st.lists(
    st.tuples(st.sampled_from(["add", "remove", "save", "kill"]), st.sampled_from(KEYS)),
    max_size=25,
)


def _opened(layout: Layout) -> AdditionsLog:
    log = AdditionsLog(layout.additions)
    log.open([])
    return log


@settings(deadline=None, max_examples=80)
@given(steps)
def test_it_is_right_wherever_the_process_is_killed(steps: list[tuple[str, str]]) -> None:
    """After any course of writes, removals, saves and kills it denies nothing that is held."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        layout.prepare()
        log, held = _opened(layout), set[str]()
        holdings = Holdings()
        holdings.end_survey(survey([], holdings.begin_survey()))
        filter_file.save(layout, holdings, log.log, log.position)
        for step, key in steps:
            match step:
                case "add":
                    log.append([Entry("contents", key, 1)])
                    holdings.add("contents", key, new=key not in held)
                    held.add(key)
                case "remove" if key in held:
                    log.append([Entry("contents", key, 0, gone=True)])
                    holdings.remove("contents", key)
                    held.discard(key)
                case "save":
                    filter_file.save(layout, holdings, log.log, log.position)
                case "kill":
                    log = _opened(layout)
                    found = filter_file.load(layout, log)
                    assert found is not None
                    holdings = found
            assert {each for each in KEYS if holdings.may_hold("contents", each)} == held
            assert holdings.counts["contents"] == len(held)


@pytest.mark.parametrize("part", ["first", "head", "bits", "end", "longer", "log", "behind"])
def test_one_in_doubt_is_not_used(tmp_path: Path, part: str) -> None:
    """A damaged filter, one of another log, and one that is ahead of the log count for nothing."""
    layout = Layout(tmp_path)
    layout.prepare()
    log = _opened(layout)
    log.append([Entry("contents", KEYS[0], 1)])
    holdings = Holdings()
    holdings.end_survey(survey([("contents", KEYS[0])], holdings.begin_survey()))
    filter_file.save(layout, holdings, log.log, log.position)
    assert filter_file.load(layout, log) is not None
    path = tmp_path / "filter"
    data = path.read_bytes()
    match part:
        case "first" | "head" | "bits":
            at = {"first": 3, "head": 70, "bits": len(data) - 9}[part]
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        case "end":
            path.write_bytes(data[:-1])
        case "longer":
            path.write_bytes(data + b"\0")
        case "log":
            log.renew([])
        case "behind":
            log.position -= 1
    assert filter_file.load(layout, log) is None
    assert not path.exists()  # or a log that has grown again would make it seem good


@given(st.binary(max_size=300))
def test_any_bytes_are_a_filter_or_none(data: bytes) -> None:
    """Whatever lies in its place leads to a survey, not to an error."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        layout.prepare()
        (layout.root / "filter").write_bytes(data)
        assert filter_file.load(layout, _opened(layout)) is None


@ensureDeferred
async def test_a_start_does_not_look_at_every_file(
    store: DiskStore, workers, make_capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a good filter a disk is ready at once, and knows all that was written after it too."""
    await store.put(sha256(b"a").hexdigest(), b"a")
    while not (store.layout.root / "filter").exists():
        await sleep(reactor, 0.01)
    await store.put(sha256(b"b").hexdigest(), b"b")
    await store.append([make_capture()])
    store._lock.release()  # as if killed: nothing more is saved
    monkeypatch.setattr(scan, "all_keys", None)
    monkeypatch.setattr(scan, "entries", lambda *_: ())
    again = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    await again.open()
    assert again.holdings.surveyed
    assert again.holdings.counts == {"contents": 2, "structures": 1}
    assert again.holds("contents", sha256(b"b").hexdigest())
    assert not again.holdings.may_hold("contents", sha256(b"c").hexdigest())
    await again.close()
