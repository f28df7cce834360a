"""`dlweb simulate`: what policies would make of a web that changes, and at what cost."""

import argparse
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
from twisted.internet.defer import CancelledError
from twisted.internet.threads import deferToThreadPool

from agents.archive.command.simulate_arguments import DAYS, POLICIES, SITES, USUAL_INTERVAL
from agents.archive.command.terminal import ProgressLine
from agents.archive.errors import ArchiveError
from agents.scheduler.temporal.simulation import histories, laws
from agents.scheduler.temporal.simulation.chart import chart
from agents.scheduler.temporal.simulation.comparison import Comparison, table, to_data
from agents.scheduler.temporal.simulation.simulator import Result

_BURN_IN = 0.25  # of the time, after which figures count apart


async def simulate(reactor: Any, options: argparse.Namespace) -> int:
    """Run policies over a history, and tell what became of freshness and age.

    Raises:
        ArchiveError: the history cannot be read, or the picture not written.
    """
    line = ProgressLine(sys.stderr, reactor.seconds)
    simulation = _Simulation(options, lambda text: reactor.callFromThread(line.show, text))
    try:
        results = await deferToThreadPool(reactor, reactor.getThreadPool(), simulation.run)
    except CancelledError:
        simulation.stop()
        raise
    except OSError as error:
        raise ArchiveError(f"{options.history}: {error.strerror}") from None
    except (histories.InvalidHistory, UnicodeDecodeError) as error:
        raise ArchiveError(f"{options.history}: {error}") from None
    finally:
        line.clear()
    first = int(results[0].days * _BURN_IN)
    if options.chart:
        _draw(Path(options.chart), results, simulation.title)
    if options.json:
        told = {"web": simulation.title, "later": first,
                "policies": [to_data(result, first) for result in results]}  # fmt: skip
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        sys.stdout.write(f"{simulation.title}\n\n{table(results, first)}\n")
    return 0


class _Simulation:
    """A simulation in a thread, which stops soon after it is told to.

    Args:
        options: the command line.
        show: shows a line of progress.
    """

    def __init__(self, options: argparse.Namespace, show: Any) -> None:
        self._options = options
        self._show = show
        self._stopped = threading.Event()
        self.title = ""

    def stop(self) -> None:
        """Have it stop."""
        self._stopped.set()

    def run(self) -> list[Result]:
        """Run all policies."""
        options = self._options
        self._show("reading the history" if options.history else "making up a web")
        if options.history:
            sites, days = histories.read(Path(options.history))
            days = min(days, options.days or days)
        else:
            days = float(options.days or DAYS)
            sites = laws.web(options.sites or SITES, days, options.seed, USUAL_INTERVAL)
        comparison = Comparison(sites, days, options.seed, self._progress)
        budget = options.budget or comparison.usual_budget
        pages = sum(site.pages for site in sites)
        self.title = f"{len(sites):,} sites, {pages:,} pages, {days:.0f} days"
        return comparison.all(options.policy or POLICIES, budget)

    def _progress(self, name: str, day: float) -> None:
        if self._stopped.is_set():
            raise CancelledError
        self._show(f"{name}: day {day:.0f}")


def _draw(path: Path, results: list[Result], title: str) -> None:
    try:
        path.write_text(chart(results, f"Share of pages up to date: {title}"), "utf-8")
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror}") from None
