-- Who holds what: version 2 of the database of a master and of an index node.
CREATE TABLE disks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: what an old one held is no one's
    node TEXT NOT NULL,
    name TEXT NOT NULL,                        -- the disk's own; empty for what is only noted yet
    url TEXT NOT NULL,                         -- base URL of the node
    log TEXT NOT NULL DEFAULT '',              -- id of the disk's log of additions
    position INTEGER NOT NULL DEFAULT 0,       -- bytes of it taken in
    UNIQUE (node, name)
);
CREATE TABLE holdings (
    kind INTEGER NOT NULL,                     -- 0 contents, 1 structures
    key BLOB NOT NULL,                         -- SHA-256, or the first half of it
    disk INTEGER NOT NULL,                     -- one that is not in `disks` does not count
    size INTEGER NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (kind, key, disk)
) WITHOUT ROWID;
