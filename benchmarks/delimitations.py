"""How quickly the site of a URL is found among a million (docs/explanation/expansion.md).

    python benchmarks/delimitations.py [--sites 1000000] [--quick] [--folder /dev/shm]

Registers sites of mixed kinds, then looks up URLs of theirs and URLs of nobody. Costs are of
processor time; the last line is JSON.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import Delimitations

TARGET = 20.0  # microseconds of a lookup
LOOKUPS = 100_000
LINKS = 200  # URLs of one question: the external links of a few pages
USERS = 100_000  # personal pages that share a host


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sites", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="20,000 sites")
    parser.add_argument("--folder", type=Path, help="where the file is made")
    options = parser.parse_args()
    sites = 20_000 if options.quick else options.sites
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print(json.dumps(measure(Path(folder) / "delimitations.lmdb", sites)))


def measure(path: Path, sites: int) -> dict[str, object]:
    """Return what registering and looking up cost."""
    index = Delimitations(path)
    index.open()
    start = time.process_time()
    index.register(claim_of(number) for number in range(1, sites + 1))
    registering = time.process_time() - start
    print(f"{sites} sites registered in {registering:.1f} s, {path.stat().st_blocks * 512} bytes")
    before = memory()
    found = {
        f"{kind}, {how}": look(index, urls, sites, at_once)
        for kind, urls in (("hits", hit), ("misses", miss), ("inside a hit", deep))
        for how, at_once in (("together", LINKS), ("alone", 1))
    }
    for name, cost in found.items():
        print(f"{name:24} {cost:6.2f} us")
    bytes_of_file = path.stat().st_blocks * 512
    index.close()
    return {
        "sites": sites,
        "microseconds": found,
        "target": TARGET,
        "reached": max(found.values()) < TARGET,
        "registering_seconds": round(registering, 1),
        "file_bytes": bytes_of_file,
        "memory_of_lookups_bytes": memory() - before,
    }


def bounds_of(number: int) -> tuple[str, str, str]:
    """Return start URL, accept and reject of a site; kinds are mixed as on the web."""
    kind = number % 20
    if kind < 12:  # a host and its twin, as guessed
        host = f"site{number}.example{number % 977}.org"
        return f"http://{host}/", f"//{host} OR //www.{host}", "/~ OR /%7E"
    if kind < 14:  # a blog below the name of a platform
        host = f"blog{number}.platform{number % 31}.com"
        return f"http://{host}/", f"//{host}", ""
    if kind < 17:  # personal pages on a host of many
        folder = f"users{number // USERS}.provider.fr/~user{number}"
        return f"http://{folder}/", f"//{folder}/ OR //{folder}$ OR //{folder}?", ""
    if kind < 18:  # a domain that a person delimited, as in the paper's table
        name = f"chain{number}.fr"
        return f"http://{name}/", f"//{name} OR .{name}", f"//sport.{name} OR print="
    if kind < 19:  # a port
        host = f"site{number}.ports.net:8080"
        return f"http://{host}/", f"//{host}", ""
    host = f"topic{number}.mixed.eu"  # expressions that have to be asked
    return f"http://{host}/", f"(//{host} OR .{host}) AND NOT *.pdf$", ""


def claim_of(number: int) -> Claim:
    """Return what a site claims."""
    return Claim.read(number, *bounds_of(number))


def hit(number: int) -> str:
    """Return a URL at the root of a site."""
    return bounds_of(number)[0]


def deep(number: int) -> str:
    """Return a URL far inside a site."""
    return bounds_of(number)[0] + "2005/11/articles/web/archive.html?page=2&order=date"


def miss(number: int) -> str:
    """Return a URL that belongs to no site, near to some that do."""
    return (
        f"https://www.other{number}.example{number % 977}.org/2005/11/x.html",
        f"http://users{number // USERS}.provider.fr/~nobody{number}/cv/index.html",
        f"http://nobody{number}.platform{number % 31}.com/archive/2005/",
    )[number % 3]


def look(index: Delimitations, url_of: Callable[[int], str], sites: int, at_once: int) -> float:
    """Return microseconds of a lookup, sites in random order."""
    chosen = random.Random(1)
    numbers = [chosen.randrange(1, sites + 1) for _ in range(LOOKUPS)]
    urls = [url_of(number) for number in numbers]
    wanted = [None if url_of is miss else number for number in numbers]
    batches = list(batched(urls, at_once))
    start = time.process_time()
    found = [number for batch in batches for number in index.sites_of(batch)]
    taken = time.process_time() - start
    if found != wanted:
        raise SystemExit("a URL was not found where it is")
    return round(taken / LOOKUPS * 1e6, 2)


def batched(urls: list[str], size: int) -> Iterator[list[str]]:
    """Yield URLs as they are asked for together."""
    for start in range(0, len(urls), size):
        yield urls[start : start + size]


def memory() -> int:
    """Return the bytes of memory that this process has had, the file's pages among them."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
