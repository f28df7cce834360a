"""A command's link to the scheduler of a running archive."""

import argparse
import getpass
from typing import Any

from agents.archive.command.agent_link import AgentLink, configured
from agents.archive.config import ArchiveConfig
from agents.archive.plan import addresses

_PATIENCE = 30.0  # seconds for the scheduler to answer


class SchedulerLink(AgentLink):
    """Calls to the scheduler, each made once, since some are decisions.

    Args:
        reactor: connects.
        options: the command line.
    """

    def __init__(self, reactor: Any, options: argparse.Namespace) -> None:
        configuration = configured(options)
        address, _ = addresses(configuration, configuration.section("archive", ArchiveConfig))
        super().__init__(reactor, configuration, address, "the scheduler", patience=_PATIENCE)


def story(options: argparse.Namespace) -> dict[str, str]:
    """Return who decides, and why, for the story of a site."""
    return {"who": options.who or _user(), "why": options.why}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return ""
