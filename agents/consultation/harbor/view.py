"""Who looks at the harbor, from where, and in which language."""

from attrs import frozen

from agents.consultation.harbor.words import Words


@frozen
class View:
    """Who looks at the harbor, and from where.

    Attributes:
        words: the reader's language.
        home: path of the first page: `/` through the proxy, `/harbor` on the pages port.
        through_proxy: whether the reader's browser uses the proxy, so that links to archived
            URLs lead into the archive.
        proxy: `host:port` of the proxy.
        token: proves that a form came from a page shown to this reader.
        date: the reader's date of 20 digits, or empty for the newest.
        live: whether the reader reads the live web.
        language: that the reader chose, or empty.
    """

    words: Words
    home: str
    through_proxy: bool
    proxy: str
    token: str
    date: str
    live: bool = False
    language: str = ""

    def when(self) -> str:
        """Return in a sentence what the reader reads."""
        if self.live:
            return self.words.say("you-read.live")
        if not self.date:
            return self.words.say("you-read.newest")
        return self.words.say("you-read", date=self.words.moment(self.date))
