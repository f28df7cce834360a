"""What a nursery preloads must not have chosen a reactor yet."""

import subprocess
import sys


def test_importing_the_service_installs_no_reactor() -> None:
    """Children of a nursery each install their own reactor after the fork (*INA §1.5*)."""
    code = "import sys, agents.crawler.service; sys.exit('twisted.internet.reactor' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
