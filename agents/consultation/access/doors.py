"""Who a request comes from, and whether they are let in."""

from agents.consultation.readers.reader import Reader
from anet.http import Request


class Doors:
    """Lets readers in."""

    def admit(self, request: Request) -> Reader:
        """Return who asks, and note it in `request.asker`; whoever was let in before is.

        Raises:
            Faulted: they are not let in; the fault says what they lack.
        """
        if request.asker is None:
            request.asker = Reader(request.client, request.client)
        reader: Reader = request.asker
        return reader
