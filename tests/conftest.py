"""What holds for every test: quick ones come first, so that a mistake shows early."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests marked slow after all others, each group in its own order."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
