"""`dlweb access …`: what the archive holds and does not show."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents import dates
from agents.archive import holdings
from agents.archive.command.scheduler_link import story
from agents.archive.command.tables import as_json, plain, table
from agents.archive.errors import ArchiveError
from agents.configuration import load
from agents.consultation.access.places import Places
from agents.consultation.access.rule import Rule, rule_of
from agents.consultation.access.rules_file import edited, read_rules, told, with_rule, without_rule
from agents.consultation.config import ConsultationConfig
from agents.consultation.errors import RulesRefused
from agents.consultation.keeping import rules_path
from agents.consultation.readers.reader import Reader


async def access(reactor: Any, options: argparse.Namespace) -> int:
    """Look at the rules, or change them; an agent that runs takes them within two seconds.

    Raises:
        ArchiveError: the rules cannot be read, or would be none.
    """
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    path = rules_path(configuration, configuration.section("consultation", ConsultationConfig))
    try:
        if options.action == "add":
            return _add(path, options, dates.now(reactor))
        if options.action == "remove":
            return _remove(path, options, dates.now(reactor))
        if options.action == "list":
            return _list(read_rules(path), options)
        return _check(read_rules(path), options, dates.now(reactor))
    except (RulesRefused, OSError) as error:
        raise ArchiveError(str(error)) from None


def _add(path: Path, options: argparse.Namespace, now: str) -> int:
    who = {"when": dates.to_iso(now)} | story(options)
    said = {
        "urls": options.urls[0] if len(options.urls) == 1 else options.urls,
        "kind": "embargo" if options.until else "takedown",
        "from": options.begins,
        "to": options.ends,
        "until": options.until,
        "readers": options.reader,
        "exact": "yes" if options.exact else "",
        "reason": options.reason,
        **who,
    }
    said = {key: value for key, value in said.items() if value}
    rule = rule_of(said)
    Places([rule])
    with edited(path) as held:
        held[0] = with_rule(held[0], said)
        told(path, {"date": now, "what": "add", "rule": rule.name, **said})
    sys.stdout.write(f"{rule.name}: {_where(rule)} kept back\n")
    return 0


def _remove(path: Path, options: argparse.Namespace, now: str) -> int:
    with edited(path) as held:
        held[0] = without_rule(held[0], options.name)
        told(path, {"date": now, "what": "remove", "rule": options.name, **story(options)})
    sys.stdout.write(f"{options.name}: shown again\n")
    return 0


def _list(rules: list[Rule], options: argparse.Namespace) -> int:
    if options.json:
        lines = [as_json({"name": rule.name, **_values(rule)}) for rule in rules]
    else:
        rows = [
            [rule.name, rule.kind, _where(rule), _captures(rule), rule.who, rule.reason]
            for rule in rules
        ]
        columns = ["name", "kind", "URLs", "captures", "by", "reason"]
        lines = table(columns, rows) if rows else ["nothing is kept back"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _check(rules: list[Rule], options: argparse.Namespace, now: str) -> int:
    """Say which rules keep a URL back: at one date, or at all dates and at some."""
    url = holdings.known_as(options.url)
    date = dates.parse(options.date) if options.date else ""
    reader = Reader(options.reader, "", options.reader)
    found = list(Places(rules).find(url))
    kept = [rule for rule in found if rule.keeps(date, now, reader)]
    lines = [f"kept back by {rule.name}: {plain(rule.reason)}" for rule in kept]
    if not kept:
        lines = list(_some(found, reader)) if not date else []
        lines.append("shown")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if kept else 0


def _some(found: list[Rule], reader: Reader) -> Iterator[str]:
    """Yield what rules keep of the captures of a URL that is not kept back as a whole."""
    for rule in found:
        if reader.name not in rule.readers and _captures(rule) != "all":
            yield f"but for captures {_captures(rule)}, by {rule.name}: {plain(rule.reason)}"


def _where(rule: Rule) -> str:
    more = f" and {len(rule.urls) - 1} more" if len(rule.urls) > 1 else ""
    return rule.urls[0] + more + (" alone" if rule.exact else "")


def _captures(rule: Rule) -> str:
    """Say which captures a rule keeps back."""
    words = []
    if rule.begins:
        words.append(f"from {rule.begins}")
    if rule.ends:
        words.append(f"to {rule.ends}")
    if rule.until:
        words.append(f"until {dates.to_words(rule.until)[:10]}")
    if rule.span is not None:
        plural = "" if rule.span.count == 1 else "s"
        words.append(f"for {rule.span.count} {rule.span.unit}{plural}")
    return " ".join(words) or "all"


def _values(rule: Rule) -> dict[str, Any]:
    return {
        "urls": list(rule.urls),
        "kind": rule.kind,
        "reason": rule.reason,
        "captures": _captures(rule),
        "readers": sorted(rule.readers),
        "exact": rule.exact,
        "who": rule.who,
        "when": rule.when,
        "why": rule.why,
    }
