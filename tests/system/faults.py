"""Faults that befall an archive at random (`test_history.py`)."""

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable

from cluster import AGENTS, INDEXES, NODES, Cluster

TOLD_WITHIN = 1.5  # seconds in which index nodes are told by the master who is up


class Faults:
    """Lets one fault after the other happen, as cards are dealt from a deck that is shuffled.

    All but one leave what is on the disks: that one waits until all storage nodes are up and
    everything has its replicas, since an archive of two replicas survives the loss of one disk, and
    not of a second one meanwhile, nor of the only one that took deposits while no other was up.
    Nodes that did not answer a moment ago are no reason to wait.

    Attributes:
        happened: how often each kind has.
        seconds: how long each kind took, in all.
    """

    def __init__(self, cluster: Cluster, chance: random.Random) -> None:
        self._cluster, self._chance = cluster, chance
        self._deck: list[Callable[[], None]] = [
            self.kill, self.kill, self.kill_many, self.stop, self.stop, self.cut, self.cut,
            self.deafen, self.mute, self.lose_packets, self.lose_packets, self.lose_index,
            self.lose_disk,
        ]  # fmt: skip
        self._next: list[Callable[[], None]] = []
        self.happened: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()

    @property
    def all_happened(self) -> bool:
        """Whether each kind has happened."""
        return len(self.happened) == len({fault.__name__ for fault in self._deck})

    def happen(self) -> None:
        """Let the next fault happen, and pass."""
        if not self._next:
            self._next = self._chance.sample(self._deck, len(self._deck))
        fault = self._next.pop()
        began = time.monotonic()
        fault()
        self.happened[fault.__name__] += 1
        self.seconds[fault.__name__] += round(time.monotonic() - began)
        self._wait(0, 1)

    def kill(self) -> None:
        """Kill an agent."""
        name = self._anybody()
        self._cluster.kill(name)
        self._wait(0, 2)
        self._cluster.start(name)

    def kill_many(self) -> None:
        """Kill some agents at once; maybe all."""
        names = self._chance.sample(AGENTS, self._chance.randint(2, len(AGENTS)))
        self._cluster.kill(*names)
        self._wait(0, 1)
        for name in names:
            self._cluster.start(name)

    def stop(self) -> None:
        """Let a process do nothing for some time, and believe that no time has passed."""
        child = self._cluster.children[self._anybody()]
        child.send_signal(signal.SIGSTOP)
        self._wait(0.5, 3)
        child.send_signal(signal.SIGCONT)

    def cut(self) -> None:
        """Cut one or two hosts off."""
        self._cluster.network.rules(cut=self._chance.sample(AGENTS, self._chance.randint(1, 2)))
        self._pass(0.5, 4)

    def deafen(self) -> None:
        """Let nothing reach a host, which is heard itself."""
        self._cluster.network.rules(deaf=[self._anybody()])
        self._pass(0.5, 4)

    def mute(self) -> None:
        """Let nothing come from a host, which hears all."""
        self._cluster.network.rules(mute=[self._anybody()])
        self._pass(0.5, 4)

    def lose_packets(self) -> None:
        """Lose some packets, and delay all of them."""
        loss, delay = self._chance.uniform(0.01, 0.1), self._chance.uniform(0, 0.05)
        self._cluster.network.rules(loss=loss, delay=delay)
        self._pass(0.5, 3)

    def lose_index(self) -> None:
        """Kill an index node, and take its database away."""
        name = self._chance.choice(INDEXES)
        self._cluster.kill(name)
        shutil.rmtree(self._cluster.index(name))
        self._cluster.start(name)

    def lose_disk(self) -> None:
        """Take a disk away under load, and put a new one in its place."""
        self._cluster.all_up()
        time.sleep(TOLD_WITHIN)
        self._cluster.settle()
        self._cluster.say("resume")
        self._wait(0, 1)
        node = self._chance.choice(NODES)
        self._cluster.lose(self._chance.choice(self._cluster.disks(node)))
        self._wait(0, 2)
        self._cluster.replace(node)
        self._cluster.settle()
        self._cluster.say("resume")

    def _anybody(self) -> str:
        return self._chance.choice(AGENTS)

    def _pass(self, least: float, most: float) -> None:
        """Wait, and have the wire carry everything again."""
        self._wait(least, most)
        self._cluster.network.rules()

    def _wait(self, least: float, most: float) -> None:
        time.sleep(self._chance.uniform(least, most))
