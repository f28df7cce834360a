"""Where a slave goes: to the master of its configuration, or on to where a master sends it.

HOME --redirection--> ON THE WAY --redirection--> ON THE WAY (a round, of so many redirections)
ON THE WAY --the link has held for long--> a new round begins there
ON THE WAY --refused, failed, the link ended--> HOME
"""

from anet.address import Address
from hip.address import SocketPath, parse_redirection
from hip.errors import ProtocolError

REDIRECTIONS = 5  # in a row; more are taken for a loop of masters that we know by many names


class Journey:
    """Where to go next, and where not to come back to.

    Args:
        home: the master of the configuration.

    Attributes:
        target: the master to be linked to now.
    """

    def __init__(self, home: Address | SocketPath) -> None:
        self.target = home
        self._home = home
        self._past: list[Address | SocketPath] = []  # who has sent us on, in this round

    def go_on(self, text: str) -> None:
        """Turn to the master that the present one sends us to.

        Raises:
            ProtocolError: we come from there, or have been sent on too often.
            anet.errors.InvalidAddress: there is no going there.
        """
        target = parse_redirection(text, self.target)
        if target == self.target or target in self._past:
            raise ProtocolError(f"redirected to {target}, which we come from: the masters loop")
        if len(self._past) == REDIRECTIONS:
            raise ProtocolError(f"redirected to {target}, after {REDIRECTIONS} redirections")
        self._past.append(self.target)
        self.target = target

    def settle(self) -> None:
        """Begin a new round where we are: who has sent us here may take us back."""
        self._past.clear()

    def go_home(self) -> None:
        """Turn to the master of the configuration."""
        self.target = self._home
        self._past.clear()
