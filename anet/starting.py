"""Services whose refusal to start is told in words."""

import sys

from twisted.application.service import MultiService

from anet.errors import AnetError


class StartingService(MultiService):
    """A service that ends the process with a message when a part of it cannot start.

    Parts that listen are added first, so that nothing runs yet when one of them is refused.

    Attributes:
        expected: errors that a person can mend: a port in use, a permission.
    """

    expected: tuple[type[Exception], ...] = (AnetError,)

    def startService(self) -> None:
        """Start all parts.

        Raises:
            SystemExit: one cannot start; what to do about it is on standard error.
        """
        try:
            super().startService()
        except self.expected as error:
            if sys.__stderr__ is not None and sys.stderr is not sys.__stderr__:
                sys.__stderr__.write(f"{error}\n")  # the other one goes to the log by now
            raise SystemExit(str(error)) from None
