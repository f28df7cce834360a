"""What a deposit says: which contents go where, how far it is, and what was learned on the way.

Spoken between connectivity agents, the scheduler and the index nodes (*INA §2.3.1*).
"""

from attrs import field, frozen

from agents.judgement import Judgement, Update


@frozen
class ContentSize:
    """A content that somebody asks a place for.

    Attributes:
        key: SHA-256 of the content, hexadecimal.
        size: its bytes.
    """

    key: str
    size: int


@frozen
class Placement:
    """Where a content goes, or that it need not go anywhere.

    Attributes:
        key: SHA-256 of the content, hexadecimal.
        known: whether the archive holds it already, durably.
        nodes: base URLs of the storage nodes to PUT it to; empty when it is known.
    """

    key: str
    known: bool
    nodes: list[str] = field(factory=list)


@frozen
class Findings:
    """What the report of a crawl tells the scheduler (*INA §1.5.1*).

    Attributes:
        external_links: different links that lead out of the site.
        external_hosts: different hosts these links lead to.
        feeds: URLs of RSS and Atom feeds, a bounded sample.
        streams: URLs of live streams, a bounded sample.
        languages: language tags met, most frequent first.
        statistics: figures of the report by name.
        problem: why the report could not be read, or empty.
        judgement: what the site is by the policy that came with the deposit; null without one,
            and when the report could not be read.
        update: what is new since the former crawl.
    """

    external_links: int = 0
    external_hosts: int = 0
    feeds: list[str] = field(factory=list)
    streams: list[str] = field(factory=list)
    languages: list[str] = field(factory=list)
    statistics: dict[str, str] = field(factory=dict)
    problem: str = ""
    judgement: Judgement | None = None
    update: Update | None = None


@frozen
class HostedFolder:
    """The crawls that a connectivity agent can reach: those in one folder of its machine.

    Attributes:
        machine: the machine's name, as its agents are configured.
        directory: the folder that crawls lie directly in.
    """

    machine: str
    directory: str


@frozen
class DepositFigures:
    """Where a deposit stands, or how it ended.

    Attributes:
        captures: lines of the crawl's structure that were read.
        captures_recorded: of these, the ones durably recorded.
        captures_missing: of these, the ones left out: nobody holds their content, or their line
            of the crawl's structure is damaged.
        contents_stored: contents this deposit brought to storage nodes.
        contents_known: contents that the archive held already.
        bytes_stored: bytes of the contents stored, each counted once.
        retries: times that something was repeated.
        seconds: time since the deposit began.
        waiting_for: why nothing moves now, or empty.
        done: whether everything is durable and acknowledged.
        findings: what the report of the crawl tells; only when `done`.
    """

    captures: int = 0
    captures_recorded: int = 0
    captures_missing: int = 0
    contents_stored: int = 0
    contents_known: int = 0
    bytes_stored: int = 0
    retries: int = 0
    seconds: float = 0.0
    waiting_for: str = ""
    done: bool = False
    findings: Findings | None = None
