-- Live streams of sites, and which agent listens to each (INA 1.6). Phases are those of
-- agents/scheduler/streams/life.py; `state` is a StreamState of agents/stream.py.
CREATE TABLE streams (
    stream   TEXT NOT NULL PRIMARY KEY,         -- its URL, canonical
    site     TEXT NOT NULL REFERENCES sites,
    source   TEXT NOT NULL,                     -- the crawl, or the person, that named it first
    found    TEXT NOT NULL,                     -- when that was
    seen     TEXT NOT NULL,                     -- when a crawl, or a person, last named it
    promise  INTEGER NOT NULL,                  -- how likely it is live, by its URL
    phase    TEXT NOT NULL,
    changed  TEXT NOT NULL,                     -- when that last did
    hand     TEXT NOT NULL DEFAULT '',          -- what a person said: 'start', 'stop' or nothing
    rank     REAL NOT NULL DEFAULT 0,           -- the higher the sooner it gets an agent
    agent    TEXT NOT NULL DEFAULT '',          -- that listens; empty while it waits for one
    leaving  TEXT NOT NULL DEFAULT '',          -- that listened before, and goes on for a while
    leaves   TEXT NOT NULL DEFAULT '',          -- when it is to leave
    received TEXT,                              -- when it was first received since it was chosen
    tries    INTEGER NOT NULL DEFAULT 0,        -- how often in a row it was set aside
    again    TEXT,                              -- when it is tried again, if it was
    why      TEXT NOT NULL DEFAULT '',          -- it is in that phase
    state    TEXT NOT NULL DEFAULT '{}'
) STRICT, WITHOUT ROWID;
CREATE INDEX streams_of_site ON streams (site, stream);
CREATE INDEX streams_by_phase ON streams (phase, stream);
CREATE INDEX streams_by_agent ON streams (agent, rank DESC, found)
    WHERE phase IN ('ordered', 'receiving', 'broken');
CREATE INDEX streams_left ON streams (leaving, leaves) WHERE leaving <> '';
CREATE INDEX streams_again ON streams (again) WHERE again IS NOT NULL;
CREATE INDEX streams_to_forget ON streams (seen)
    WHERE phase IN ('candidate', 'aside') AND hand = '';
