"""The keys of the configuration about live streams."""

from attrs import field, frozen, validators


@frozen
class StreamsConfig:
    """Which live streams of members streaming agents listen to (*INA §1.6*).

    Attributes:
        relevance: of a site, from 0 to 1, from which its streams are listened to; a site that a
            person ordered has 0.5 at least.
        per_site: streams of one site that are listened to at once, besides those that a person
            started; with 0 there are only these.
        patience: attempts in a row in which nothing comes, after which a stream that was never
            received is set aside; one that was received gets ten times as many.
        retry_first: seconds until a stream that was set aside is tried again; doubles each time.
        retry_longest: seconds that this wait grows to.
        absence: seconds that a streaming agent whose link closed may stay away before its streams
            go to others that have room.
        overlap: seconds at most for which a stream that is moved is listened to by both agents.
    """

    relevance: float = field(default=0.5, validator=[validators.ge(0.0), validators.le(1.0)])
    per_site: int = field(default=4, validator=validators.ge(0))
    patience: int = field(default=10, validator=validators.ge(1))
    retry_first: float = field(default=3600.0, validator=validators.ge(1.0))
    retry_longest: float = field(default=604_800.0, validator=validators.ge(1.0))
    absence: float = field(default=60.0, validator=validators.ge(0.0))
    overlap: float = field(default=60.0, validator=validators.ge(0.0))
