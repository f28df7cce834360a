"""What is told at once fits into a frame, whatever servers say of themselves."""

from types import SimpleNamespace
from typing import Any

import msgspec
from attrs import asdict
from twisted.internet.task import Clock

from agents.stream import OrderedStream, StreamNews
from agents.streaming.standing import Standing
from agents.streaming.telling import AT_ONCE
from agents.urls import LENGTH_LIMIT
from anet.media.interface import Described
from hip.limits import Limits

LONG = "\N{MUSICAL SYMBOL G CLEF}" * 5000
URL = "http://radio.example/".ljust(LENGTH_LIMIT, "a")


def test_all_that_is_told_at_once_fits_into_a_frame() -> None:
    """So that servers with long names keep no news of others from the scheduler."""
    told: list[StreamNews] = []
    standing = Standing(Clock(), OrderedStream(URL, "radio.example"), told.append)
    texts = dict.fromkeys(("name", "description", "genre", "homepage"), LONG)
    described = Described(URL, "icy", b"", "audio/mpeg", **texts)  # type: ignore[arg-type]
    reception: Any = SimpleNamespace(
        source=SimpleNamespace(described=described), title=LONG, heard="0" * 20, gap=None
    )
    standing.begun(reception)
    standing.retitled(reception)
    standing.failed("failing", LONG)
    assert AT_ONCE * len(msgspec.msgpack.encode(asdict(told[-1]))) < Limits().frame
    remembered = [*standing.history.titles, *standing.history.failures]
    assert all(len(event.text) <= 1000 for event in remembered)
