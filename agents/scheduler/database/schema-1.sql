-- The scheduler's memory, version 1. Dates are text of 20 digits (agents/dates.py).
-- States are those of agents/scheduler/life.py; values that are objects are JSON.

CREATE TABLE sites (
    site             TEXT PRIMARY KEY,
    start_url        TEXT NOT NULL,
    accept           TEXT NOT NULL,
    reject           TEXT NOT NULL,
    maximum_depth    INTEGER NOT NULL,
    host             TEXT NOT NULL,             -- sites of one host take turns
    state            TEXT NOT NULL,
    crawl            TEXT,                      -- the present or last one
    crawls           INTEGER NOT NULL DEFAULT 0,
    registered       TEXT NOT NULL,
    changed          TEXT NOT NULL,
    error            TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX sites_by_state ON sites (state);

CREATE TABLE crawls (
    crawl            TEXT PRIMARY KEY,
    site             TEXT NOT NULL REFERENCES sites,
    host             TEXT NOT NULL,             -- the site's, kept here for the choice of the next
    state            TEXT NOT NULL,
    private_networks INTEGER NOT NULL,
    delay            REAL,                      -- seconds a request, when the order says so
    attempt          INTEGER NOT NULL DEFAULT 0,
    name             TEXT,                      -- of the present or last attempt
    crawler          TEXT,                      -- who makes or made that attempt
    directory        TEXT,                      -- where what it collected lies
    figures          TEXT NOT NULL DEFAULT '{}',
    deposit          TEXT,
    ordered          TEXT NOT NULL,
    changed          TEXT NOT NULL,
    error            TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX crawls_that_wait ON crawls (host, ordered) WHERE state = 'ordered';
CREATE INDEX crawls_by_state ON crawls (state, changed);
CREATE INDEX crawls_by_order ON crawls (ordered);

-- Every attempt at a crawl, with the reason why it came to nothing.
CREATE TABLE attempts (
    name             TEXT PRIMARY KEY,
    crawl            TEXT NOT NULL REFERENCES crawls,
    number           INTEGER NOT NULL,
    crawler          TEXT NOT NULL,
    began            TEXT NOT NULL,
    ended            TEXT,
    reason           TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX attempts_of_crawl ON attempts (crawl, number);

-- Crawl directories that nobody needs any more and that are still to be removed.
CREATE TABLE discards (
    directory        TEXT PRIMARY KEY,
    since            TEXT NOT NULL
) STRICT;
