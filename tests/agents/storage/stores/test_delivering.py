"""How contents go into an archive that runs: in bundles, to all nodes at once, around failures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import Factory, define
from pytest_twisted import ensureDeferred

from agents.bundle import CONTENT_LIMIT
from agents.capture import content_key
from agents.delivery import Load, NotTaken, Parcel
from agents.deposit import ContentSize, Placement
from agents.storage.errors import DigestMismatch
from agents.storage.stores.delivering import Delivery
from agents.storage.stores.errors import StoreRefused, StoreUnreachable

ALL = ["http://a", "http://b", "http://c"]


@define
class Index:
    """Places everything on two nodes, if possible not on those that are to be avoided."""

    known: Sequence[str] = ()
    avoided: list[list[str]] = Factory(list)

    async def call(
        self, shape: Any, method: str, contents: Sequence[ContentSize], avoid: Sequence[str] = ()
    ) -> list[Placement]:
        """Answer `place`."""
        assert method == "place"
        self.avoided.append(list(avoid))
        nodes = ([node for node in ALL if node not in avoid] or ALL)[:2]
        return [
            Placement(each.key, each.key in self.known, [] if each.key in self.known else nodes)
            for each in contents
        ]


@define
class Nodes:
    """Takes everything, but for nodes that are down and contents that are refused."""

    down: Sequence[str] = ()
    refused: dict[str, str] = Factory(dict)
    sent: list[tuple[str, Load]] = Factory(list)

    async def send(self, node: str, parcel: Parcel, load: Load) -> dict[str, str]:
        """Take a parcel."""
        self.sent.append((node, load))
        if node in self.down:
            raise NotTaken(f"{node} is down")
        return {key: why for key, why in self.refused.items() if key in parcel.keys}


def contents(*bodies: bytes) -> list[Any]:
    """Return bodies with their keys."""
    return [(content_key(body), body) for body in bodies]


async def delivered(index: Index, nodes: Nodes, threads: Any, given: list[Any]) -> dict[str, Any]:
    """Deliver; return what became of each content."""
    delivery = Delivery(index, nodes, threads, given)  # type: ignore[arg-type]
    await delivery.run()
    return delivery.became


@ensureDeferred
async def test_small_contents_go_in_one_bundle_to_each_node(threads: Any, tmp_path: Path) -> None:
    """A hundred small contents and a file are one request a node; a large one is another."""
    (tmp_path / "file").write_bytes(b"a file")
    given = contents(*(b"%d" % number for number in range(100)))
    given += [(content_key(b"a file"), tmp_path / "file")]
    [(large, body)] = contents(bytes(CONTENT_LIMIT + 1))
    nodes, index = Nodes(), Index(known=[given[0][0]])
    became = await delivered(index, nodes, threads, [*given, (large, memoryview(body))])
    assert became.pop(given[0][0]) == []
    assert len(became) == 101
    assert all(set(took) == {"http://a", "http://b"} for took in became.values())
    assert sorted((node, load.method) for node, load in nodes.sent) == [
        (node, method) for node in ALL[:2] for method in ("POST", "PUT")
    ]
    assert all(b"a file" in load.body for _, load in nodes.sent if load.method == "POST")


@ensureDeferred
async def test_what_no_node_takes_goes_to_others(threads: Any) -> None:
    """Nodes that failed are avoided; one that takes it is enough; none at all is said so."""
    [(key, _)] = given = contents(b"body")
    index, nodes = Index(), Nodes(down=ALL[:2])
    assert await delivered(index, nodes, threads, given) == {key: ["http://c"]}
    assert index.avoided == [[], ALL[:2]]
    assert await delivered(Index(), Nodes(down=ALL[:1]), threads, given) == {key: ["http://b"]}
    became = await delivered(Index(), Nodes(down=ALL), threads, given)
    assert isinstance(became[key], StoreUnreachable) and "is down" in str(became[key])


@ensureDeferred
async def test_what_is_refused_is_told_and_not_tried_again(threads: Any) -> None:
    """Bytes that are not what their key says, and what a node does not take though they are."""
    [(wrong, _), (fine, _)] = contents(b"right", b"fine")
    nodes = Nodes(refused={wrong: "the body hashes to something else", fine: "too large here"})
    given = [(wrong, b"wrong"), (fine, b"fine"), *contents(b"other")]
    became = await delivered(Index(), nodes, threads, given)
    assert [type(each) for each in became.values()] == [DigestMismatch, StoreRefused, list]
    assert len(nodes.sent) == 2
