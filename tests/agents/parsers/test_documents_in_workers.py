"""Heavy documents read in worker processes, where hostile ones meet their limits."""

import random
from collections.abc import Awaitable
from typing import Any

import pytest
from helpers_of_processes import MIB, running
from pages import document, link, pdf, stream, uri
from reading import read, sample, zipped

from agents.parsers import registry
from agents.parsers.link import Link
from agents.parsers.worker import parse
from anet.errors import AnetError, WorkerTooLarge, WorkerTooSlow
from anet.processes import Processes

_SAMPLES = {"doc": "links.doc", "odf": "links.odt", "ooxml": "links.docx", "pdf": "links.pdf"}


def told(pool: Processes, name: str, body: bytes) -> Awaitable[dict[str, Any]]:
    """Read a document in a worker."""
    return pool.run(parse, name, "http://example.org/", None, True, "", body)


async def assert_alive(pool: Processes) -> None:
    """Check that the pool reads documents."""
    found = await told(pool, "pdf", sample("links.pdf"))
    assert len(found["links"]) == 4


def odf(size: int) -> bytes:
    """Return a document of so many bytes of text, of which few are in the file."""
    paragraph = "<text:p>" + "a" * 1000 + "</text:p>"
    return zipped({"content.xml": "<body>" + paragraph * (size // len(paragraph)) + "</body>"})


async def test_as_here() -> None:
    """Documents give in a worker what they give here."""
    async with running(preload=["pypdfium2", "olefile"]) as pool:
        for name, file in _SAMPLES.items():
            parser = registry().named(name)
            assert parser.format.heavy
            here = read(parser, sample(file))
            there = await told(pool, name, sample(file))
            assert {Link(*fields) for fields in there["links"]} == set(here.links)
            assert there["text"] == here.text


async def test_documents_that_eat_memory() -> None:
    """A document that takes too much memory fails alone."""
    async with running(memory=48 * MIB) as pool:
        with pytest.raises(WorkerTooLarge):
            await told(pool, "odf", odf(100 * MIB))
        await assert_alive(pool)


async def test_bombs_in_pdf() -> None:
    """A stream that inflates to far more than a worker may take does no harm."""
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>"
    bomb = stream(b"BT ET " * (20 * MIB))
    body = pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", page, bomb)
    async with running(memory=64 * MIB, time=5.0) as pool:
        with pytest.raises(AnetError):
            await told(pool, "pdf", body)
        await assert_alive(pool)


async def test_documents_that_eat_time() -> None:
    """A document that takes too long fails alone."""
    body = document(text="word " * 20_000, pages=10_000)
    async with running(time=1.0) as pool:
        with pytest.raises(WorkerTooSlow):
            await told(pool, "pdf", body)
        await assert_alive(pool)


async def test_damaged_documents() -> None:
    """A damaged PDF gives what is left of it, or a typed error, and the pool lives."""
    generator = random.Random(2005)
    sound = [sample("links.pdf"), document(link(uri("http://a/")), outline=uri("http://b/"))]
    async with running() as pool:
        for number in range(300):
            body = bytearray(sound[number % 2])
            for _ in range(generator.randrange(1, 12)):
                place = generator.randrange(len(body))
                body[place : place + generator.randrange(4)] = generator.randbytes(3)
            try:
                found = await told(pool, "pdf", bytes(body))
            except AnetError:
                continue
            assert isinstance(found["links"], list)
        await assert_alive(pool)
