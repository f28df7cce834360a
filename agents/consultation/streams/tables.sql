CREATE TABLE streams (
  number INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL DEFAULT '',         -- as its server said it last, like the next four
  description TEXT NOT NULL DEFAULT '',
  genre TEXT NOT NULL DEFAULT '',
  media_type TEXT NOT NULL DEFAULT '',
  protocol TEXT NOT NULL DEFAULT '',
  first TEXT NOT NULL DEFAULT '',        -- date from which anything was heard
  last TEXT NOT NULL DEFAULT ''          -- and until which
) STRICT;
CREATE TABLE pieces (                    -- what was heard: one log each
  stream INTEGER NOT NULL,
  first TEXT NOT NULL,
  log TEXT NOT NULL,                     -- SHA-256 of the log
  last TEXT NOT NULL,
  session TEXT NOT NULL,
  why TEXT NOT NULL,                     -- why there was a gap before it, if there was one
  PRIMARY KEY (stream, first, log)
) STRICT, WITHOUT ROWID;
CREATE TABLE said (                      -- titles, and what stations say of themselves
  number INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  date TEXT NOT NULL,
  kind TEXT NOT NULL,                    -- "title", "name", "description" or "genre"
  text TEXT NOT NULL,
  UNIQUE (stream, kind, date, text)
) STRICT;
CREATE VIRTUAL TABLE words USING fts5(   -- said.text, folded
  text, content = '', tokenize = "unicode61 remove_diacritics 2"
);
