-- A database as version 2 of the scheduler wrote it, with a site in each state (sqlite3 .dump).
BEGIN TRANSACTION;
CREATE TABLE attempts (
    name             TEXT PRIMARY KEY,
    crawl            TEXT NOT NULL REFERENCES crawls,
    number           INTEGER NOT NULL,
    crawler          TEXT NOT NULL,
    began            TEXT NOT NULL,
    ended            TEXT,
    reason           TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO "attempts" VALUES('20261121-073000-a','20261121-073000-a',1,'crawler-1','20261121073001000000','20261121073002000000','');
INSERT INTO "attempts" VALUES('20261121-073000-b','20261121-073000-b',1,'crawler-1','20261121073005000000',NULL,'');
INSERT INTO "attempts" VALUES('20261121-073000-c','20261121-073000-c',1,'crawler-2','20261121073005000000','20261121073006000000','');
INSERT INTO "attempts" VALUES('20261121-073000-d','20261121-073000-d',1,'crawler-3','20261121073006000000','20261121073007000000','no such host');
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
, beside INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "crawls" VALUES('20261121-073000-a','a','a','deposited',1,0.5,1,'20261121-073000-a','crawler-1','/crawls/20261121-073000-a','{"bytes_received":30,"captures":3,"contents_known":0,"contents_new":0,"depth":0,"failures":0,"pages":2,"queued":0,"seconds":0.0,"urls_changed":0,"urls_new":0,"urls_unchanged":0,"waiting_for":"","waiting_until":0.0}','{"bytes_stored":30,"captures":0,"captures_missing":0,"captures_recorded":3,"contents_known":0,"contents_stored":0,"done":true,"findings":null,"retries":0,"seconds":0.0,"waiting_for":""}','20261121073000000000','20261121073004000000','',0);
INSERT INTO "crawls" VALUES('20261121-073000-b','b','b','collecting',1,0.5,1,'20261121-073000-b','crawler-1',NULL,'{}',NULL,'20261121073000000000','20261121073005000000','',0);
INSERT INTO "crawls" VALUES('20261121-073000-b2','b2','b','ordered',1,0.5,0,NULL,NULL,NULL,'{}',NULL,'20261121073000000000','20261121073000000000','',0);
INSERT INTO "crawls" VALUES('20261121-073000-c','c','c','depositing',1,0.5,1,'20261121-073000-c','crawler-2','/crawls/20261121-073000-c','{"bytes_received":0,"captures":5,"contents_known":0,"contents_new":0,"depth":0,"failures":0,"pages":0,"queued":0,"seconds":0.0,"urls_changed":0,"urls_new":0,"urls_unchanged":0,"waiting_for":"","waiting_until":0.0}',NULL,'20261121073000000000','20261121073007000000','',0);
INSERT INTO "crawls" VALUES('20261121-073000-d','d','d','failed',1,0.5,1,'20261121-073000-d','crawler-3',NULL,'{"bytes_received":0,"captures":0,"contents_known":0,"contents_new":0,"depth":0,"failures":0,"pages":0,"queued":0,"seconds":0.0,"urls_changed":0,"urls_new":0,"urls_unchanged":0,"waiting_for":"","waiting_until":0.0}',NULL,'20261121073000000000','20261121073007000000','no such host',0);
INSERT INTO "crawls" VALUES('20261121-073000-e','e','e','ordered',1,0.5,0,NULL,NULL,NULL,'{}',NULL,'20261121073000000000','20261121073000000000','',0);
INSERT INTO "crawls" VALUES('20261121-073008-b','b','b','ordered',1,NULL,0,NULL,NULL,NULL,'{}',NULL,'20261121073008000000','20261121073008000000','',1);
CREATE TABLE discards (
    directory        TEXT PRIMARY KEY,
    since            TEXT NOT NULL
) STRICT;
INSERT INTO "discards" VALUES('/crawls/20261121-073000-a','20261121073004000000');
INSERT INTO "discards" VALUES('/crawls/x','20261121073007000000');
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
INSERT INTO "sites" VALUES('a','http://a/','//a','',5,'a','idle','20261121-073000-a',1,'20261121073000000000','20261121073004000000','');
INSERT INTO "sites" VALUES('b','http://b/','//b','',5,'b','collecting','20261121-073000-b',1,'20261121073000000000','20261121073005000000','');
INSERT INTO "sites" VALUES('b2','http://b2/','//b2','',5,'b','due','20261121-073000-b2',1,'20261121073000000000','20261121073000000000','');
INSERT INTO "sites" VALUES('c','http://c/','//c','',5,'c','depositing','20261121-073000-c',1,'20261121073000000000','20261121073007000000','');
INSERT INTO "sites" VALUES('d','http://d/','//d','',5,'d','failed','20261121-073000-d',1,'20261121073000000000','20261121073007000000','no such host');
INSERT INTO "sites" VALUES('e','http://e/','//e','',5,'e','due','20261121-073000-e',1,'20261121073000000000','20261121073000000000','');
CREATE INDEX sites_by_state ON sites (state);
CREATE INDEX crawls_that_wait ON crawls (host, ordered) WHERE state = 'ordered';
CREATE INDEX crawls_by_state ON crawls (state, changed);
CREATE INDEX crawls_by_order ON crawls (ordered);
CREATE INDEX attempts_of_crawl ON attempts (crawl, number);
COMMIT;
PRAGMA application_id = 1684830051;
PRAGMA user_version = 2;
