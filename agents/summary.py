"""What a crawl brought, as far as its site is judged by it; read from the crawl's report."""

from attrs import frozen


@frozen
class Language:
    """How much of a site is written in a language.

    Attributes:
        name: BCP 47 tag.
        documents: whose main language it is.
        characters: written in it.
    """

    name: str
    documents: int
    characters: int


@frozen
class Term:
    """A keyword that was looked for and found.

    Attributes:
        text: the keyword, as it was ordered.
        count: times it occurs.
        documents: how many have it.
    """

    text: str
    count: int
    documents: int


@frozen
class Format:
    """Captures of one media type, as servers declared it; empty where they did not."""

    type: str
    captures: int
    bytes: int


@frozen
class Summary:
    """What a crawl brought, as far as rules look at it.

    Attributes:
        captures: answers recorded.
        pages: of these, the ones reached by page links.
        documents: different contents whose text was read.
        characters: of their texts.
        words: likewise.
        languages: of their texts, the most used first.
        terms: keywords of the order that occur.
        keywords: the most frequent runs of words, and how often each occurs.
        formats: captures by media type.
    """

    captures: int = 0
    pages: int = 0
    documents: int = 0
    characters: int = 0
    words: int = 0
    languages: tuple[Language, ...] = ()
    terms: tuple[Term, ...] = ()
    keywords: tuple[tuple[str, int], ...] = ()
    formats: tuple[Format, ...] = ()
