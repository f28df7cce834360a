-- A second crawler may be sent on a site while the first is still at work (INA §1.4.1).
ALTER TABLE crawls ADD COLUMN beside INTEGER NOT NULL DEFAULT 0;
