"""What a crawl is judged by and what was judged: between scheduler and connectivity agents.

The scheduler sends a `Policy` with each deposit; it gets a `Judgement` and an `Update` back in the
`Findings` (*INA §1.5.1, §1.5.2*). The links of a site that passed come on the way, by calls of

    learn(crawl: str, part: int, links: list[tuple[str, int]], feeds: list[str],
          streams: list[str]) -> int

`links` are URLs outside of the site with the number of documents that have each. A call holds at
most `LEARNED_AT_ONCE` URLs. Parts are numbered from 0, one is told after the other, and the same
part of the same crawl always holds the same, whoever tells it and however often: so a scheduler
that keeps the number of the next part in the transaction that takes one learns each once. It
answers that number; those below it need not be told.
"""

from typing import Final

from attrs import field, frozen

from agents.filters import Filters

LEARNED_AT_ONCE: Final = 500  # URLs of one call of `learn`
LEVELS: Final = 1000  # of an update


@frozen
class Policy:
    """How a crawl is to be judged.

    Attributes:
        filters: what its site has to pass.
        links: whether links out of the site, feeds and streams are wanted if it passes.
        keep_failed: whether the captures of a site that fails are deposited all the same.
        whole: whether the crawl was of the whole site; what one of some pages found is added to
            what former ones left for the next.
        trusted: whether a person wants the site: it is kept, and leads on, though it fails.
    """

    filters: Filters = field(factory=Filters)
    links: bool = True
    keep_failed: bool = True
    whole: bool = True
    trusted: bool = False


@frozen
class Judgement:
    """What a crawl's site is, by the rules it was judged by.

    Attributes:
        passes: whether it is of the portion of the web that is looked for.
        relevance: from 0 to 1; 0 if it does not pass.
        reasons: why, in sentences; those of rules within a rule are two spaces further in.
    """

    passes: bool
    relevance: float
    reasons: tuple[str, ...] = ()


@frozen
class LevelUpdate:
    """What of one level of a site is new.

    Attributes:
        depth: page links from the start.
        captures: answers recorded.
        documents: different contents whose text was read.
        chunks: of their texts.
        rate: share of the chunks that the former crawl did not have; null if there is nothing
            to compare.
    """

    depth: int
    captures: int = 0
    documents: int = 0
    chunks: int = 0
    rate: float | None = None


@frozen
class Update:
    """What is new since the former crawl of a site (*INA §1.5.2*).

    Attributes:
        rate: share of the chunks of text that the former crawl did not have, from 0 to 1; null
            if there is nothing to compare.
        documents: different contents whose text was read.
        chunks: of their texts.
        levels: the same level by level, at most `LEVELS`.
        urls_new: URLs that the former crawl did not have.
        urls_changed: URLs whose content differs from the former crawl's.
        urls_unchanged: URLs whose content is the former crawl's.
        urls_gone: URLs of the former crawl that this one did not meet.
        requests: what the crawl cost the site.
        bytes: of bodies received.
    """

    rate: float | None = None
    documents: int = 0
    chunks: int = 0
    levels: tuple[LevelUpdate, ...] = ()
    urls_new: int = 0
    urls_changed: int = 0
    urls_unchanged: int = 0
    urls_gone: int = 0
    requests: int = 0
    bytes: int = 0
