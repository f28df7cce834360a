"""What the `dlweb` command line may say."""

import argparse
from collections.abc import Sequence

from agents.archive.command import (
    access_arguments,
    batch_arguments,
    export_arguments,
    import_arguments,
    reader_arguments,
    simulate_arguments,
    sites_arguments,
    stream_arguments,
)
from agents.archive.command.storage_arguments import add_actions
from hip.version import VERSION


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    parser = argparse.ArgumentParser(
        prog="dlweb",
        description="A web archive: collect websites, keep them, and walk them again.",
    )
    parser.add_argument("--version", action="version", version=f"dlweb {VERSION}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    _run(_verb(verbs, "run", "run an archive, and collect websites with it"))
    _json(_verb(verbs, "status", "show what the running archive is doing"))
    _get(_verb(verbs, "get", "write an archived content to standard output"))
    captures = _verb(verbs, "captures", "list the captures of a URL")
    captures.add_argument("url", metavar="URL", help="the address as it was on the web")
    _json(captures)
    _verify(_verb(verbs, "verify", "crawl a site out of the archive, and say what differs"))
    _verb(verbs, "stop", "stop the archive that runs in the folder")
    _verb(verbs, "check", "check the configuration of every agent")
    words = "show how fresh policies would keep a web that changes, and at what cost"
    simulate_arguments.add_options(
        verbs.add_parser("simulate", help=words, description=_sentence(words))
    )
    for name, words, add in (
        ("sites", "list the sites of the portion", sites_arguments.add_sites),
        ("site", "show a site and its story, and decide of it", sites_arguments.add_site),
        ("campaign", "collect some sites more often for a time", sites_arguments.add_campaign),
        ("stream", "say which live streams are listened to", stream_arguments.add_stream),
        ("timeline", "show the schedule ahead", sites_arguments.add_timeline),
        ("machine", "look after the machines of crawlers", sites_arguments.add_machine),
    ):
        add(verbs.add_parser(name, help=words, description=_sentence(words)), _common)
    words = "say who may read the archive from other machines"
    reader_arguments.add_reader(
        verbs.add_parser("reader", help=words, description=_sentence(words)), _common
    )
    words = "say what the archive holds and does not show"
    access_arguments.add_access(
        verbs.add_parser("access", help=words, description=_sentence(words)), _common
    )
    import_arguments.add_options(
        _verb(verbs, "import", "bring in files of web archives: WARC, ARC, WACZ, Tianwang")
    )
    words = "give captures away as WARC, WACZ, ARC or Tianwang files; repeat it to go on"
    export_arguments.add_export(
        verbs.add_parser("export", help=words, description=_sentence(words)), _common
    )
    words = "read pages of the monthly batches that an export wrote, by identifier"
    batch_arguments.add_options(verbs.add_parser("batch", help=words, description=_sentence(words)))
    words = "look after what the archive holds: nodes, disks, replicas, copies"
    add_actions(verbs.add_parser("storage", help=words, description=_sentence(words)), _common)
    return parser


def _verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, words: str
) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=words, description=_sentence(words))
    _common(verb)
    return verb


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--archive", metavar="DIR", help="the archive's folder (default: the configured one, var)"
    )
    verb.add_argument("--config", metavar="FILE", help="YAML file of the whole tree")
    verb.add_argument(
        "--base-port",
        metavar="N",
        help="first of the archive's hundred ports (default: the configured one, 7100)",
    )


def _run(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "urls",
        nargs="*",
        metavar="URL",
        help="where sites begin (default: the built-in demonstration website)",
    )
    verb.add_argument(
        "--once", action="store_true", help="end when everything is collected and deposited"
    )
    verb.add_argument(
        "--delay",
        type=_seconds,
        metavar="SECONDS",
        help="pause owed to a web server for each request (default: the configured one, 0.5; "
        "none for the demonstration website)",
    )
    verb.add_argument(
        "--private-networks",
        action="store_true",
        help="let crawlers fetch addresses of private networks; understood for URLs that name one",
    )
    _json(verb)


def _get(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("url", metavar="URL", help="the address as it was on the web")
    verb.add_argument(
        "--date",
        metavar="DATE",
        help="the capture nearest to this date: 2026, 2026-11-21, 20261121073000 (default: now)",
    )
    verb.add_argument(
        "--head", action="store_true", help="write the response head before it, as received"
    )


def _verify(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("site", metavar="SITE", help="its name; `dlweb sites` lists them")
    verb.add_argument(
        "--date", metavar="DATE", help="the crawl nearest to this date (default: the last one)"
    )
    _json(verb)


def _json(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", help="write JSON for scripts")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError("expected seconds, 0 or more")
    return seconds


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what a command line asks for; a bad one ends the process with status 2."""
    return parser().parse_args(arguments)
