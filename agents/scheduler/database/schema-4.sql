-- Links that led readers of the archive nowhere (INA 2.4.2). `site` is the one they belong to, or
-- none; `ordered` is when a crawl was last asked for that is to bring them.
CREATE TABLE missed (
    url TEXT NOT NULL PRIMARY KEY,
    site TEXT,
    page TEXT NOT NULL,
    times INTEGER NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL,
    ordered TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX missed_of_site ON missed (site, last);
CREATE INDEX missed_by_last ON missed (last);
CREATE INDEX sites_by_host ON sites (host);
