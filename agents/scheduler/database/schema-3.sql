-- A site's standing in the portion, and why; when it falls due by itself (INA §1.5.1, §1.5.2).
ALTER TABLE sites ADD COLUMN number INTEGER;                            -- the graph's word for it
ALTER TABLE sites ADD COLUMN standing TEXT NOT NULL DEFAULT 'member';
ALTER TABLE sites ADD COLUMN lane TEXT NOT NULL DEFAULT '';             -- sites of one take turns
ALTER TABLE sites ADD COLUMN relevance REAL NOT NULL DEFAULT 0;         -- of its last judgement, 0..1
ALTER TABLE sites ADD COLUMN hub REAL NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN authority REAL NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN priority REAL NOT NULL DEFAULT 0;          -- the higher the sooner
ALTER TABLE sites ADD COLUMN next TEXT;                                 -- when it falls due; or never
ALTER TABLE sites ADD COLUMN plan TEXT NOT NULL DEFAULT '{}';           -- of the crawl made then
ALTER TABLE sites ADD COLUMN rhythm TEXT NOT NULL DEFAULT '{}';         -- what its updates taught
ALTER TABLE sites ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';       -- the archivist's, for it
ALTER TABLE sites ADD COLUMN guess TEXT NOT NULL DEFAULT '{}';          -- how its bounds were guessed
ALTER TABLE sites ADD COLUMN judgement TEXT NOT NULL DEFAULT '{}';      -- the last one
ALTER TABLE sites ADD COLUMN held TEXT NOT NULL DEFAULT '[]';           -- what a person fixed
ALTER TABLE sites ADD COLUMN referrer TEXT;                             -- the site that led to it
ALTER TABLE sites ADD COLUMN private_networks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN demand REAL NOT NULL DEFAULT 0;            -- agents/scheduler/temporal/price.py
ALTER TABLE sites ADD COLUMN requests INTEGER NOT NULL DEFAULT 0;       -- its next crawl takes, about

-- All were ordered by people.
UPDATE sites SET lane = host, number = numbered.number, held = '["standing"]'
    FROM (SELECT site AS name, row_number() OVER (ORDER BY registered, site) AS number FROM sites)
    AS numbered WHERE site = numbered.name;

CREATE UNIQUE INDEX sites_by_number ON sites (number);
CREATE INDEX sites_by_standing ON sites (standing, changed);
CREATE INDEX sites_by_priority ON sites (standing, priority, site);
CREATE INDEX sites_by_authority ON sites (standing, authority, site);
CREATE INDEX sites_by_next ON sites (next, priority DESC) WHERE next IS NOT NULL;
CREATE INDEX sites_to_admit ON sites (priority DESC, registered) WHERE standing = 'discovered';
DROP INDEX sites_by_state;

ALTER TABLE crawls ADD COLUMN lane TEXT NOT NULL DEFAULT '';            -- the site's when ordered
ALTER TABLE crawls ADD COLUMN priority REAL NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN machine TEXT NOT NULL DEFAULT '';         -- of its last attempt
ALTER TABLE crawls ADD COLUMN keys TEXT NOT NULL DEFAULT '[]';          -- agents/scheduler/places.py
ALTER TABLE crawls ADD COLUMN plan TEXT NOT NULL DEFAULT '{}';          -- how it differs from usual
ALTER TABLE crawls ADD COLUMN learned INTEGER NOT NULL DEFAULT 0;       -- parts of where it led to

UPDATE crawls SET lane = host;

DROP INDEX crawls_that_wait;
CREATE INDEX crawls_that_wait ON crawls (lane, priority DESC, ordered)
    WHERE state = 'ordered' AND beside = 0;
CREATE INDEX crawls_under_way ON crawls (lane) WHERE state = 'collecting' AND beside = 0;
CREATE INDEX crawls_beside ON crawls (state, ordered) WHERE beside = 1;
CREATE INDEX crawls_of_site ON crawls (site, ordered);

ALTER TABLE attempts ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN counted INTEGER NOT NULL DEFAULT 1;     -- towards the limit

ALTER TABLE discards ADD COLUMN machine TEXT NOT NULL DEFAULT '';       -- where the folder is
CREATE INDEX discards_by_age ON discards (machine, since);

-- Sites that take turns. Those of one host wait in one lane, and the first of each lane that is
-- not busy is found without a look at the others. Kept only for crawls that wait or are collected.
CREATE TABLE lanes (
    lane             TEXT PRIMARY KEY,
    busy             TEXT,                      -- the crawl that is being collected
    first            TEXT,                      -- the crawl that is next
    priority         REAL NOT NULL DEFAULT 0,   -- of that
    since            TEXT NOT NULL DEFAULT ''   -- when that was ordered
) STRICT, WITHOUT ROWID;

CREATE INDEX lanes_to_choose ON lanes (priority DESC, since)
    WHERE busy IS NULL AND first IS NOT NULL;

-- Sums that pages show, kept with each change.
CREATE TABLE tallies (
    name             TEXT PRIMARY KEY,
    value            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the scheduler has worked out for all sites together, such as the price of a request.
CREATE TABLE memory (
    name             TEXT PRIMARY KEY,
    value            REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Links between sites by their numbers, the graph (INA §1.5.1).
CREATE TABLE links (
    source           INTEGER NOT NULL,
    target           INTEGER NOT NULL,
    first            TEXT NOT NULL,             -- when it was seen first, and last
    last             TEXT NOT NULL,
    count            INTEGER NOT NULL,          -- pages of the source, in its last crawl
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_to ON links (target, source);

-- The story of each site: what was decided, by whom and why. Nothing is ever taken out.
CREATE TABLE decisions (
    id               INTEGER PRIMARY KEY,
    site             TEXT NOT NULL,
    date             TEXT NOT NULL,
    who              TEXT NOT NULL,             -- 'scheduler', or a person's name
    what             TEXT NOT NULL,             -- an event of standing, or what was corrected
    before           TEXT NOT NULL,
    after            TEXT NOT NULL,
    why              TEXT NOT NULL
) STRICT;

CREATE INDEX decisions_on_site ON decisions (site, id);

CREATE TABLE campaigns (
    campaign         TEXT PRIMARY KEY,
    settings         TEXT NOT NULL,
    begins           TEXT NOT NULL,
    ends             TEXT NOT NULL,
    state            TEXT NOT NULL
) STRICT;

CREATE TABLE campaign_sites (
    campaign         TEXT NOT NULL REFERENCES campaigns,
    site             TEXT NOT NULL REFERENCES sites,
    PRIMARY KEY (campaign, site)
) STRICT, WITHOUT ROWID;

CREATE INDEX campaigns_of_site ON campaign_sites (site);

CREATE TABLE feeds (
    feed             TEXT PRIMARY KEY,          -- its URL
    site             TEXT NOT NULL REFERENCES sites,
    found            TEXT NOT NULL,
    heard            TEXT,                      -- of its last change
    state            TEXT NOT NULL DEFAULT '{}'
) STRICT;

CREATE INDEX feeds_of_site ON feeds (site);

CREATE TABLE machines (
    machine          TEXT PRIMARY KEY,
    state            TEXT NOT NULL,
    changed          TEXT NOT NULL
) STRICT;

-- The last group of changes that is durable, and whose it was: a commit whose answer was lost
-- with the connection is neither repeated nor forgotten.
CREATE TABLE commits (
    one              INTEGER PRIMARY KEY CHECK (one = 1),
    owner            TEXT NOT NULL,
    number           INTEGER NOT NULL
) STRICT;
