"""Figures for Prometheus."""

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from anet.http.response import Response


def metrics_response(registry: CollectorRegistry) -> Response:
    """Return what a registry holds, in the text form that Prometheus reads."""
    return Response(
        200, [(b"Content-Type", CONTENT_TYPE_LATEST.encode())], generate_latest(registry)
    )
