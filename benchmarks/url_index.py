"""The index of URLs: bytes a URL, URLs a second of processor time, and what a question takes.

python benchmarks/url_index.py [--count 200000] [--folder /dev/shm]
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from agents.consultation.lookup.fuzzy import Fuzzy
from agents.consultation.lookup.url_rules import read_rules
from agents.consultation.urls.index import bounds
from agents.consultation.urls.surt import ranges
from agents.consultation.urls.tables import Progress, Tables

BATCH = 1000  # URLs of one transaction, as a storage node lists them
QUESTIONS = 2000
WORDS = ["news", "article", "image", "static", "js", "2026", "sport", "culture", "page", "view"]


def main() -> None:
    """Fill an index, and ask it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    options = parser.parse_args()
    fuzzy, chance = Fuzzy(read_rules()), random.Random(1)
    urls = [made(chance, number) for number in range(options.count)]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        tables = Tables(Path(folder) / "urls.mdb", fuzzy.form, "1")
        tables.open()
        fill(tables, urls)
        some = chance.sample(urls, min(QUESTIONS, len(urls)))
        buster = "_=1700000000000"
        ask("alike", some, lambda url: tables.of_form(
            fuzzy.form(f"{url}{'&' if '?' in url else '?'}{buster}"), 200
        ))  # fmt: skip
        ask("exact", some, lambda url: tables.between(*bounds(ranges(url, "exact")[0]), 100))
        ask("prefix", some, lambda url: tables.between(
            *bounds(ranges(url.rpartition("/")[0] + "/", "prefix")[0]), 100
        ))  # fmt: skip
        tables.close()


def made(chance: random.Random, number: int) -> str:
    """Return one of 300 sites' URLs."""
    host = f"{chance.choice(['www.', '', 'm.'])}site{chance.randrange(300)}.example.org"
    end = chance.choice([".html", "", f".jpg?w={chance.randrange(999)}", f"?id={number}&utm_id=x"])
    return f"https://{host}/{chance.choice(WORDS)}/{chance.choice(WORDS)}/{number}{end}"


def fill(tables: Tables, urls: list[str]) -> None:
    """Take URLs in, and say how quickly."""
    began = process_time()
    for start in range(0, len(urls), BATCH):
        tables.add("node", Progress(str(start)), urls[start : start + BATCH])
    rate, length = len(urls) / (process_time() - began), sum(map(len, urls)) / len(urls)
    print(
        f"{len(urls):,} URLs of {length:.0f} characters: {tables.size / len(urls):.0f} bytes each"
    )
    print(f"{rate:,.0f} URLs a second of processor time")


def ask(name: str, urls: list[str], question: Callable[[str], object]) -> None:
    """Ask once for each URL, and say how long it took."""
    times = []
    for url in urls:
        began = perf_counter()
        question(url)
        times.append(perf_counter() - began)
    times.sort()
    half, most = times[len(times) // 2], times[len(times) * 99 // 100]
    print(f"{name}: {half * 1e6:.0f} µs, 99 of 100 within {most * 1e6:.0f} µs")


if __name__ == "__main__":
    main()
