"""The figures of an agent, told once for its page and for Prometheus, and where they are served."""

from collections.abc import Callable, Iterable, Sequence

from attrs import frozen
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from agents.page import Page, human_bytes, human_seconds
from agents.page.serving import serve_page
from anet.http import Router


@frozen
class Figure:
    """One figure, read when somebody looks.

    Attributes:
        name: for Prometheus, without its prefix.
        label: for people.
        read: gives its value.
        total: whether it only ever grows.
        unit: "bytes" and "seconds" are shown to people as such.
        rate: unit of the curve that shows how quickly a total grows; none is shown without.
    """

    name: str
    label: str
    read: Callable[[], float]
    total: bool = False
    unit: str = ""
    rate: str = ""


def shown(figures: Iterable[Figure]) -> dict[str, str | float]:
    """Return figures as people read them, by label."""
    return {figure.label: _shown(figure) for figure in figures}


def _shown(figure: Figure) -> str | float:
    words = _WORDS.get(figure.unit)
    return figure.read() if words is None else words(figure.read())


_WORDS: dict[str, Callable[[float], str]] = {"bytes": human_bytes, "seconds": human_seconds}


class _Collector(Collector):
    """Gives figures to Prometheus."""

    def __init__(self, prefix: str, figures: Sequence[Figure]) -> None:
        self._prefix, self._figures = prefix, figures

    def collect(self) -> Iterable[Metric]:
        """Yield every figure as it is now."""
        for figure in self._figures:
            family = CounterMetricFamily if figure.total else GaugeMetricFamily
            yield family(f"{self._prefix}_{figure.name}", figure.label, value=figure.read())


def serve_pages(
    router: Router, prefix: str, figures: Sequence[Figure], page: Callable[[], Page]
) -> None:
    """Serve a monitoring page at `/`, its JSON, and the figures at `/metrics`.

    Args:
        router: where.
        prefix: what the names of the figures begin with, `dlweb_storage_node`.
        figures: what is measured.
        page: gives the page as it is now.
    """
    registry = CollectorRegistry()
    registry.register(_Collector(prefix, figures))

    serve_page(router, page, registry)
