"""Figures for Prometheus."""

from typing import TYPE_CHECKING

from anet.http.response import Response

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


def metrics_response(registry: "CollectorRegistry") -> Response:
    """Return what a registry holds, in the text form that Prometheus reads."""
    # Loaded when first asked for: it brings an HTTP server and a client of its own, which most
    # who use this package need never load.
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

    return Response(
        200, [(b"Content-Type", CONTENT_TYPE_LATEST.encode())], generate_latest(registry)
    )
