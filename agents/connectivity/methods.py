"""What a connectivity agent answers over HIP."""

from agents.connectivity.connectivity import Connectivity
from agents.connectivity.errors import ConnectivityError
from agents.deposit import DepositFigures
from hip import CallRefused, exposed


class ConnectivityMethods:
    """Methods for the scheduler."""

    def __init__(self, connectivity: Connectivity) -> None:
        self._connectivity = connectivity

    @exposed(roles=("scheduler",))
    async def deposit(self, crawl: str, site: str, directory: str) -> DepositFigures:
        """Bring a finished crawl to the storage; the answer comes when all of it is durable.

        It may be asked again at any time: a deposit under way is joined, one that is done has no
        effect twice. Refused with "no-crawl" or "bad-crawl" when there is nothing to deposit,
        "forbidden" for other folders, and "stalled" when the storage took nothing for too long.
        """
        try:
            return await self._connectivity.deposit(crawl, site, directory)
        except ConnectivityError as error:
            raise CallRefused(error.code, str(error)) from None
        except OSError as error:
            raise CallRefused("disk", f"{directory}: {error}") from None

    @exposed(roles=("scheduler",))
    async def discard(self, directory: str) -> None:
        """Remove the folder of a crawl; without effect when it is not there.

        Refused with "forbidden" for other folders, and "busy" while it is being deposited.
        """
        try:
            await self._connectivity.discard(directory)
        except ConnectivityError as error:
            raise CallRefused(error.code, str(error)) from None
        except OSError as error:
            raise CallRefused("disk", f"{directory}: {error}") from None
