"""How fresh the temporal policy keeps an archive, beside uniform and optimal policies.

    python benchmarks/freshness.py [--quick] [--sites N] [--seeds N] [--interval DAYS]

Webs that change by known laws for a simulated year (`agents.scheduler.temporal.simulation.laws`);
every site was collected once in the month before. The adaptive policy knows nothing but what its
own crawls find. The others know the true rates, and are given exactly the requests that it made,
in the whole year and after a quarter of it: their freshness is interpolated between two budgets.

    ratio = (adaptive - uniform) / (optimal - uniform)

`optimal` is Cho and Garcia-Molina's allocation to sites. `bound` is the same for each level of each
site by itself, which no crawl can do, since it has to pass the levels above. So that depth does not
hide how well rates are learnt, the same webs are measured again with each site as one level.
The last line is JSON.
"""

import argparse
import json
import platform
import statistics
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from attrs import evolve

from agents.scheduler.temporal import SiteSettings, TemporalConfig
from agents.scheduler.temporal.simulation import laws
from agents.scheduler.temporal.simulation.comparison import KNOWING, Comparison
from agents.scheduler.temporal.simulation.histories import SiteHistory
from agents.scheduler.temporal.simulation.simulator import Result

DAYS = 365
BURN_IN = 91  # days
WINDOWS = {"the whole year": 0, f"from day {BURN_IN}": BURN_IN}
FLAT = ", one level"  # each site as one, so that depth plays no part
TARGET = 0.9
AROUND = (0.93, 1.03)  # of the budget: between these the others are interpolated

Row = dict[str, dict[str, float]]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and smaller webs")
    parser.add_argument("--sites", type=int, default=400, help="of each web (default: 400)")
    parser.add_argument("--seeds", type=int, default=8, help="webs (default: 8)")
    parser.add_argument(
        "--interval", type=float, default=30.0, help="days of the uniform policy (default: 30)"
    )
    options = parser.parse_args()
    if options.quick:
        options.sites, options.seeds = 150, 4
    tasks = [(options.sites, options.interval, seed) for seed in range(1, options.seeds + 1)]
    with ProcessPoolExecutor() as pool:
        webs = list(pool.map(measure, tasks))
    report(webs)


def measure(task: tuple[int, float, int]) -> dict[str, Row]:
    """Return freshness and age of each policy in one web, by window, at one cost."""
    sites, interval, seed = task
    web = laws.web(sites, DAYS, seed, before=interval)
    comparison = Comparison(web, DAYS, seed)
    budget = sum(site.pages for site in web) / interval
    ours = comparison.adaptive(budget, TemporalConfig(), SiteSettings())
    others = {
        name: [comparison.knowing(name, budget * part) for part in AROUND] for name in KNOWING
    }
    flat = Comparison([flattened(site) for site in web], DAYS, seed)
    alone = flat.adaptive(budget, TemporalConfig(), SiteSettings())
    return {
        f"{window}{kind}": row(result, others, first)
        for kind, result in (("", ours), (FLAT, alone))
        for window, first in WINDOWS.items()
    }


def flattened(site: SiteHistory) -> SiteHistory:
    """Return a site with all of its pages at one level."""
    pages = tuple(page for level in site.levels for page in level)
    rates = tuple(rate for level in site.rates for rate in level)
    return evolve(site, levels=(pages,), rates=(rates,))


def row(ours: Result, others: dict[str, list[Result]], first: int) -> Row:
    """Return the figures of all policies from a day on, at the cost of ours."""
    cost = ours.cost(first)
    found = {"adaptive": figures(ours, first)}
    for name, (less, more) in others.items():
        low, high = figures(less, first), figures(more, first)
        part = (cost - low["cost"]) / (high["cost"] - low["cost"])
        found[name] = {key: low[key] + part * (high[key] - low[key]) for key in low}
    return found


def figures(result: Result, first: int) -> dict[str, float]:
    """Return the figures of one policy."""
    return {
        "freshness": result.freshness(first),
        "age": result.mean_age(first),
        "cost": result.cost(first),
    }


def gained(row: Row, best: str) -> float:
    """Return the share of the best policy's gain over uniform that the adaptive one has."""
    fresh = {name: each["freshness"] for name, each in row.items()}
    return (fresh["adaptive"] - fresh["uniform"]) / (fresh[best] - fresh["uniform"])


def report(webs: list[dict[str, Row]]) -> None:
    """Print tables of medians, and the line of JSON."""
    told: dict[str, Any] = {}
    ratios: dict[str, float] = {}
    for window in webs[0]:
        rows = [web[window] for web in webs]
        print(f"{window:28}{'freshness':>12}{'age, days':>12}{'requests/day':>14}")
        for name in rows[0]:
            middle = {key: statistics.median(each[name][key] for each in rows)
                      for key in rows[0][name]}  # fmt: skip
            told[f"{name}, {window}"] = {key: round(value, 4) for key, value in middle.items()}
            print(f"{name:28}{100 * middle['freshness']:>10.2f} %{middle['age']:>12.2f}"
                  f"{middle['cost']:>14.1f}")  # fmt: skip
        for best in ("optimal", "bound"):
            each = [gained(one, best) for one in rows]
            ratios[f"gain of {best}, {window}"] = round(statistics.median(each), 3)
            print(f"    of the gain of {best}: {statistics.median(each):.3f} "
                  f"({min(each):.3f} to {max(each):.3f} in {len(each)} webs)")  # fmt: skip
        print()
    targets = {name: TARGET for name in ratios if "optimal" in name and not name.endswith(FLAT)}
    versions = {"python": platform.python_version()}
    print(json.dumps({"benchmark": "freshness", "versions": versions, "figures": told,
                      "ratios": ratios, "targets": targets}))  # fmt: skip


if __name__ == "__main__":
    main()
