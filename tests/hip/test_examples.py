"""The recorded bytes of docs/reference/hip-examples.md are what is written and read."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from twisted.internet import reactor
from twisted.internet.testing import StringTransport

from hip import Agent, Limits
from hip.codecs import MESSAGEPACK, YAML
from hip.errors import ProtocolError
from hip.greeting import Greeting
from hip.messages import Frame
from hip.session import Session, State

PAGE = (Path(__file__).parents[2] / "docs/reference/hip-examples.md").read_text()
BLOCK = re.compile(r"^```hip (\w+)\n(.*?)\n\n(.*?)\n```$", re.M | re.S)
ROW = re.compile(r"^\| `(.*?)` \| (.*?) \|$", re.M)


def part(title: str) -> str:
    """Return what stands below a title of the page."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(text: str) -> list[tuple[str, str, bytes]]:
    """Return who speaks, what they say and the bytes of each block."""
    return [
        (who, words, bytes.fromhex(re.sub(r"\|.*?\|$", "", dump, flags=re.M)))
        for who, words, dump in BLOCK.findall(text)
    ]


def rows(title: str) -> list[tuple[str, str]]:
    """Return the rows of the table below a title."""
    return [(text, other.strip("`")) for text, other in ROW.findall(part(title))]


def write(end: Session, meaning: Any) -> bytes:
    """Return the bytes in which one end says a frame."""
    said = msgspec.convert(meaning, Frame)
    if not hasattr(said, "messages"):
        end.say(said)
    for message in getattr(said, "messages", ()):
        end.outbox.add(message)
    return end.outbox.take()


@pytest.mark.parametrize("title", ["A conversation in MessagePack", "The same in YAML"])
def test_conversations(title):
    """Each end writes these bytes, and the other reads their meaning."""
    conversation = blocks(part(title))
    greetings = {who: Greeting.decode(words.encode()) for who, words, _ in conversation[:2]}
    ends = {who: Session(greetings[who], Limits(), who == "master") for who in greetings}
    others = {"slave": ends["master"], "master": ends["slave"]}
    started = {who: end.start() for who, end in ends.items()}
    for who, _, data in conversation[:2]:
        assert started[who] == data
        others[who].feed(data)
        assert others[who].next() == greetings[who]
    for who, words, data in conversation[2:]:
        meaning = YAML.decode(words.encode())
        assert write(ends[who], meaning) == data, words
        others[who].feed(data)
        assert others[who].next() == msgspec.convert(meaning, Frame), words
    assert {end.state for end in ends.values()} == {State.CLOSED}


def test_every_kind_of_frame_is_shown():
    """In both serializers."""
    for title in ("A conversation in MessagePack", "The same in YAML"):
        kinds = {words.split('"')[1] for _, words, _ in blocks(part(title))[2:]}
        assert kinds == {kind.__struct_config__.tag for kind in Frame.__args__}


@pytest.mark.parametrize(("text", "packed"), rows("Values"))
def test_values(text, packed):
    """Both serializers write these bytes, and read the same value of them."""
    value = YAML.decode(text.encode())
    assert YAML.encode(value).decode() == text
    assert MESSAGEPACK.encode(value) == bytes.fromhex(packed)
    again = MESSAGEPACK.decode(bytes.fromhex(packed))
    assert YAML.encode(again).decode() == text


@pytest.mark.parametrize(("text", "meaning"), rows("What a reader takes besides"))
def test_what_others_write(text, meaning):
    """It is read as the value beside it."""
    assert YAML.encode(YAML.decode(text.encode())).decode() == meaning


@pytest.mark.parametrize("text", [text for text, _ in rows("Refused YAML")])
def test_refused_yaml(text):
    """It has no value."""
    with pytest.raises(ProtocolError):
        YAML.decode(text.encode())


@pytest.mark.parametrize(
    "data",
    [pytest.param(data, id=words) for _, words, data in blocks(part("Refused frames"))],
)
def test_refused_frames(data):
    """The link ends, with a goodbye."""
    (_, _, greeting), _, (_, _, request) = blocks(part("A conversation in MessagePack"))[:3]
    transport = StringTransport()
    peer = Agent(reactor, "scheduler", "scheduler").new_peer(is_master=True)
    peer.makeConnection(transport)
    peer.dataReceived(greeting + request)
    assert not transport.disconnecting
    transport.clear()
    peer.dataReceived(data)
    assert transport.disconnecting
    assert b"goodbye" in transport.value()
    peer.connectionLost()


def test_the_bytes_can_be_read_beside_the_numbers():
    """The column on the right shows the bytes on the left."""
    for line in re.findall(r"^.*\|.*\|$", "\n".join(x[2] for x in BLOCK.findall(PAGE)), re.M):
        numbers, shown = line[:48], line[51:-1]
        assert shown == "".join(chr(b) if 32 <= b < 127 else "." for b in bytes.fromhex(numbers))
