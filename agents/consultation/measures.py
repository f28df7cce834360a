"""What the consultation agent counts of itself, for its page, its status and Prometheus."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from agents.page import Rate, Series

OUTCOMES = (
    "hit", "unknown", "kept-back", "missing", "unreachable", "refused", "harbor", "preflight",
    "live", "tunnel",
)  # fmt: skip


class Measures:
    """Counts of answers by outcome, bytes, and time to the first byte.

    Attributes:
        registry: the same for Prometheus.
        rate: answers a second, over the last seconds.
        bytes: bytes of contents given a second, over the last seconds.
        requests_curve: answers a second.
        latency_curve: mean seconds to the first byte.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.outcomes = dict.fromkeys(OUTCOMES, 0)
        self.rate = Rate()
        self.bytes = Rate()
        self.requests_curve = Series()
        self.latency_curve = Series()
        self._answered = 0
        self._seconds = 0.0
        self._requests = Counter(
            "dlweb_consultation_requests", "Answers by outcome", ["outcome"], registry=self.registry
        )
        self._latency = Histogram(
            "dlweb_consultation_first_byte_seconds",
            "Time from the request to the answer's first byte",
            registry=self.registry,
        )
        self._bytes = Counter(
            "dlweb_consultation_content_bytes", "Bytes of contents given", registry=self.registry
        )

    def show(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Let Prometheus see a value, as it is whenever it asks."""
        gauge = Gauge(f"dlweb_consultation_{name}", meaning, registry=self.registry)
        gauge.set_function(value)

    @property
    def total(self) -> int:
        """Answers since the start."""
        return sum(self.outcomes.values())

    def answered(self, now: float, outcome: str, seconds: float) -> None:
        """Count an answer whose first byte took `seconds`."""
        self.outcomes[outcome] += 1
        self.rate.add(now)
        self._answered += 1
        self._seconds += seconds
        self._requests.labels(outcome).inc()
        self._latency.observe(seconds)

    def gave(self, now: float, size: int) -> None:
        """Count bytes of a content given to a browser."""
        self.bytes.add(now, size)
        self._bytes.inc(size)

    def sample(self, now: float) -> None:
        """Add a point to each curve; called every few seconds."""
        self.requests_curve.add(now, self.rate.per_second(now))
        if self._answered:
            self.latency_curve.add(now, self._seconds / self._answered)
        self._answered, self._seconds = 0, 0.0
