"""`dlweb stop`: end the archive that runs in a folder."""

import argparse
import os
import signal
import sys
from typing import Any

from agents.archive.config import ArchiveConfig
from agents.archive.errors import ArchiveError, NotRunning
from agents.archive.lock import running_archive
from agents.configuration import load
from anet.tasks import sleep

_GRACE = 15.0  # seconds beyond what the archive gives its agents


async def stop(reactor: Any, options: argparse.Namespace) -> int:
    """Ask the archive to end, and wait until it has.

    Raises:
        NotRunning: there is none.
        ArchiveError: it may not be asked, or does not end.
    """
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    patience = configuration.section("archive", ArchiveConfig).stop_timeout + _GRACE
    running = running_archive(configuration.directory)
    if running is None:
        raise NotRunning(f"no archive is running in {configuration.directory}")
    try:
        os.kill(running[0], signal.SIGTERM)
    except OSError as error:
        raise ArchiveError(f"process {running[0]} cannot be stopped: {error.strerror}") from None
    deadline = reactor.seconds() + patience
    while running_archive(configuration.directory) == running:
        if reactor.seconds() > deadline:
            raise ArchiveError(f"process {running[0]} has not ended after {patience:.0f} s")
        await sleep(reactor, 0.1)
    sys.stdout.write(f"The archive in {configuration.directory} has stopped.\n")
    return 0
