"""A request tells its path and parameters, whatever form its target has."""

import pytest

from anet.http import Request
from anet.http.message import Headers


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        ("/a%20b?x=1", "/a b", {"x": "1"}),
        ("http://host/a?x=http://b/", "/a", {"x": "http://b/"}),
        ("http://host", "/", {}),
        ("/timemap/link/http://a.example/?x=1", "/timemap/link/http://a.example/", {"x": "1"}),
        ("http://dlweb/timegate/http://a.example/", "/timegate/http://a.example/", {}),
    ],
)
def test_path_and_query(target, path, query):
    """A path may hold a URL, and is not taken for one."""
    request = Request("GET", target, Headers())
    assert (request.path, request.query) == (path, query)
