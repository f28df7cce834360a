"""`hip certs`: a private authority and the certificates of agents, each by one command."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hip.certificates import DAYS, SOON, Authority, Issued
from hip.errors import HipError

DEFAULT_DIRECTORY = "certs"


def add_certs(verbs: Any) -> None:
    """Add `certs` and its own verbs to the verbs of the `hip` command."""
    certs = verbs.add_parser("certs", help="make, list, renew and revoke certificates of agents")
    actions = certs.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = actions.add_parser(
        "create", help="make an agent's key and certificate, and the authority on first use"
    )
    create.add_argument(
        "name", metavar="NAME", help="the agent's name; also good for NAME-1, NAME-2 and so on"
    )
    create.add_argument(
        "--role",
        action="append",
        default=[],
        metavar="ROLE",
        help="what it may be and do, such as its kind, or operator for a person; may be repeated "
        "(default: NAME without a number at its end)",
    )
    create.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="HOST",
        help="name or IP address under which slaves reach it; may be repeated; an agent without "
        "one can be no master",
    )
    list_ = actions.add_parser("list", help="show every certificate that was made")
    revoke = actions.add_parser("revoke", help="make an agent's certificates count no longer")
    revoke.add_argument("name", metavar="NAME", help="whose")
    renew = actions.add_parser(
        "renew",
        help="renew the revocation list, and certificates that run out within "
        f"{SOON.days} days or are named",
    )
    renew.add_argument("names", nargs="*", metavar="NAME", help="whose, however long they are good")
    for action in (create, renew):
        action.add_argument(
            "--days",
            type=int,
            default=DAYS,
            metavar="N",
            help=f"how long a certificate is good (default: {DAYS})",
        )
    for action in (create, list_, revoke, renew):
        action.add_argument(
            "--directory",
            type=Path,
            default=Path(DEFAULT_DIRECTORY),
            metavar="FOLDER",
            help=f"where the authority is (default: {DEFAULT_DIRECTORY})",
        )


def run_certs(options: argparse.Namespace) -> str:
    """Do what the command line asks, and return what to print.

    Raises:
        HipError: it cannot be done; the message says why.
    """
    actions: dict[str, Callable[[Authority, argparse.Namespace], list[str]]] = {
        "create": _create,
        "list": _list,
        "revoke": _revoke,
        "renew": _renew,
    }
    try:
        return "\n".join(actions[options.action](Authority(options.directory), options))
    except OSError as error:
        where = error.filename or options.directory
        raise HipError(f"{where}: {error.strerror}") from None


def _create(authority: Authority, options: argparse.Namespace) -> list[str]:
    is_new = not authority.exists
    made = authority.create(options.name, options.role, options.host, options.days)
    lines = []
    if is_new:
        lines.append(
            f"Made an authority in {authority.directory}/authority: keep its key to yourself."
        )
    folder = authority.directory / options.name
    lines.append(f"{_describe(made)}: copy {folder} to its machine, for its user only.")
    return lines


def _list(authority: Authority, _: argparse.Namespace) -> list[str]:
    now = datetime.now(UTC)
    return [f"{_describe(it)}{_state(it, now)}" for it in authority.issued()]


def _state(it: Issued, now: datetime) -> str:
    if it.revoked:
        return ", revoked"
    if it.until <= now:
        return ", has run out"
    return ", runs out soon" if it.until < now + SOON else ""


def _revoke(authority: Authority, options: argparse.Namespace) -> list[str]:
    count = len(authority.revoke(options.name))
    return [
        f"Revoked {count} certificate{'s' if count > 1 else ''} of {options.name}.",
        f"Copy {authority.directory}/authority/revoked.pem to the folder of each agent elsewhere;",
        "within seconds it counts for new links, and ends those there are.",
    ]


def _renew(authority: Authority, options: argparse.Namespace) -> list[str]:
    renewed = authority.renew(options.names, options.days)
    lines = [f"{_describe(it)}: copy {authority.directory / it.identity.name}" for it in renewed]
    return [
        *lines,
        f"Renewed the revocation list: copy {authority.directory}/authority/revoked.pem to the "
        "folder of each agent elsewhere.",
    ]


def _describe(it: Issued) -> str:
    hosts = f" at {', '.join(it.hosts)}" if it.hosts else ""
    roles = ", ".join(sorted(it.identity.roles))
    return f"{it.identity.name} ({roles}){hosts}, until {it.until:%Y-%m-%d}"
