"""An archive that looks for the portion which the page on finding one asks for, on a small web.

The page's own configuration decides; what is added to it makes the test quick.
"""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import Request, urlopen

import yaml
from attrs import define, field, frozen
from conftest import Archive, wait_for
from many_sites import SITES, STARTS, TOPIC, Web

from agents.scheduler.naming import site_name

PATIENCE = 600.0  # seconds
T = TypeVar("T")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "find-a-portion.md"
EXAMPLE, REFINED = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def configuration(web: Web, *, refined: bool = False) -> str:
    """Return what the page says, and what makes it quick, and find this web.

    Args:
        web: the sites.
        refined: whether the rule is there that the page adds later.
    """
    whole: dict[str, Any] = yaml.safe_load(EXAMPLE)
    scheduler = whole["scheduler"]
    expansion = scheduler["expansion"]
    if refined:
        more = yaml.safe_load(REFINED)["scheduler"]["expansion"]["filters"]
        expansion["filters"]["rules"] += more["rules"]
    scheduler |= {
        "delay": 0.0, "slow_down": 0.0, "maximum_depth": 1, "maximum_crawlers": 16,
        "strategy": {"scripts": False},
    }  # fmt: skip
    expansion |= {
        "maximum_depth": 1, "patience": 1, "private_networks": True, "ranks_after": 1,
    }  # fmt: skip
    whole["site-crawler"] = {"name_servers": [web.dns]}
    whole["nursery"] = {"crawlers": 16}
    return yaml.safe_dump(whole)


@frozen
class Scores:
    """How well the topic was found.

    Attributes:
        precision: share of the members that are of the topic.
        recall: share of the topic's sites that are members.
        wrong: members that are not of the topic.
        missed: sites of the topic that are no members.
    """

    precision: float
    recall: float
    wrong: list[str]
    missed: list[str]


@define
class Finding:
    """An archive that finds the topic's sites on a web.

    Attributes:
        archive: whole.
        web: what it finds.
        ended: when all was judged, seconds since the epoch.
    """

    archive: Archive
    web: Web
    ended: float = field(default=0.0)

    def ask(self, method: str, **arguments: Any) -> Any:
        """Return what the scheduler answers over HTTP."""
        url = f"http://127.0.0.1:{self.archive.base + 1}/api/{method}"
        content = {"Content-Type": "application/json"}
        with urlopen(Request(url, json.dumps(arguments).encode(), content), timeout=60) as answer:
            return json.load(answer)

    def lines(self) -> list[dict[str, Any]]:
        """Return all sites as they are listed."""
        found: list[dict[str, Any]] = self.ask("find_sites", limit=1000)["sites"]
        return found

    def named(self) -> dict[str, dict[str, Any]]:
        """Return all sites of the web that were found, by name."""
        lines = {line["site"]: line for line in self.lines()}
        names = {site.name: site_name(self.web.url(site.name)) for site in SITES}
        return {name: lines[known] for name, known in names.items() if known in lines}

    def details(self, name: str) -> dict[str, Any]:
        """Return all that is known of a site."""
        details: dict[str, Any] = self.ask("site", site=site_name(self.web.url(name)))
        return details

    def quiet(self) -> bool:
        """Tell whether nothing is at work, and nobody waits to be judged."""
        lines = self.lines()
        work = {"due", "collecting", "collected", "depositing"}
        waits = {"discovered", "temporary"}
        return not any(line["state"] in work or line["standing"] in waits for line in lines)

    def search(self) -> None:
        """Begin with the two sites, and wait until nobody is left to be judged."""
        starts = [self.web.url(name) for name in STARTS]
        self.ask("order", urls=starts, private_networks=True)
        self.wait(self.quiet, "all sites to be judged")
        self.ended = time.time()

    def wait(self, condition: Callable[[], T], what: str) -> T:
        """Return what a condition gives once it is true."""
        given: T = wait_for(condition, what, PATIENCE, 1.0)
        return given

    def scores(self) -> Scores:
        """Tell how well the topic was found."""
        standings = {name: line["standing"] for name, line in self.named().items()}
        members = {name for name, standing in standings.items() if standing == "member"}
        return Scores(
            precision=len(members & TOPIC) / len(members),
            recall=len(members & TOPIC) / len(TOPIC),
            wrong=sorted(members - TOPIC),
            missed=sorted(TOPIC - members),
        )
