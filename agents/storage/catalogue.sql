-- Who holds what: version 1 of the database of a master and of an index node.
CREATE TABLE nodes (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    log TEXT NOT NULL DEFAULT '',        -- id of the node's log of additions
    position INTEGER NOT NULL DEFAULT 0  -- bytes of it taken in
);
CREATE TABLE holdings (
    kind INTEGER NOT NULL,               -- 0 contents, 1 structures
    key BLOB NOT NULL,                   -- SHA-256, or the first half of it
    node INTEGER NOT NULL REFERENCES nodes (number),
    size INTEGER NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (kind, key, node)
) WITHOUT ROWID;
