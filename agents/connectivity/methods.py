"""What a connectivity agent answers over HIP."""

from agents.connectivity.connectivity import Connectivity
from agents.connectivity.errors import ConnectivityError
from agents.deposit import DepositFigures, HostedFolder
from agents.judgement import Policy
from hip import CallRefused, exposed


class ConnectivityMethods:
    """Methods for the scheduler."""

    def __init__(self, connectivity: Connectivity) -> None:
        self._connectivity = connectivity

    @exposed(roles=("scheduler",))
    def serves(self) -> HostedFolder:
        """Tell which crawls can be deposited here: those in one folder of one machine.

        A scheduler asks whenever a connectivity agent joins.
        """
        return self._connectivity.serves

    @exposed(roles=("scheduler",))
    async def deposit(
        self,
        crawl: str,
        site: str,
        directory: str,
        policy: Policy | None = None,
        machine: str | None = None,
    ) -> DepositFigures:
        """Bring a finished crawl to the storage; the answer comes when all of it is durable.

        It may be asked again at any time: a deposit under way is joined, one that is done has no
        effect twice. With a `policy` the site is judged, and if it passes, its links are told by
        calls of the scheduler's `learn` before the answer, which holds judgement and update.
        Refused with "no-crawl" or "bad-crawl" when there is nothing to deposit, "elsewhere" when
        `machine` is not the one that this agent serves, "forbidden" for other folders,
        "stalled" when storage or scheduler took nothing for too long, and "out-of-step" when the
        scheduler has forgotten what it was told: ask again after the last two.
        """
        try:
            return await self._connectivity.deposit(crawl, site, directory, policy, machine)
        except ConnectivityError as error:
            raise CallRefused(error.code, str(error)) from None
        except OSError as error:
            raise CallRefused("disk", f"{directory}: {error}") from None

    @exposed(roles=("scheduler",))
    async def discard(self, directory: str, machine: str | None = None) -> None:
        """Remove the folder of a crawl; without effect when it is not there.

        Refused with "elsewhere" and "forbidden" as a deposit is, and "busy" while one is under way.
        """
        try:
            await self._connectivity.discard(directory, machine)
        except ConnectivityError as error:
            raise CallRefused(error.code, str(error)) from None
        except OSError as error:
            raise CallRefused("disk", f"{directory}: {error}") from None
