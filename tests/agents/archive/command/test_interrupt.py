"""Ctrl-C while the command still loads."""

import signal
import subprocess
import sys

import pytest

_PROGRAM = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "agents.archive.command." + sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
from agents.archive.command import main
main(["status"])
"""


@pytest.mark.parametrize("module", ["performing", "status"])
def test_an_interrupt_while_loading_shows_no_traceback(module: str) -> None:
    """There is nothing to leave in order yet, and Python's imports are of no interest."""
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, module], capture_output=True, text=True, timeout=30
    )
    assert (ended.returncode, ended.stderr, ended.stdout) == (-signal.SIGINT, "", "")
