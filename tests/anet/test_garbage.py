"""The collector leaves alone what was there at the start."""

import subprocess
import sys

SETTLED = """
import gc
import twisted.internet.reactor
from anet.garbage import settle
settle()
assert gc.get_freeze_count() > 20_000, gc.get_freeze_count()
class Cycle:
    pass
for _ in range(100_000):
    cycle = Cycle()
    cycle.itself = cycle
print(sum(isinstance(it, Cycle) for it in gc.get_objects()))
"""


def test_the_start_is_left_out_and_cycles_are_still_collected():
    """Nothing of the start is looked at again; of a hundred thousand cycles few are left."""
    told = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, check=True)
    assert int(told.stdout) < 25_000
