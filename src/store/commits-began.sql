-- When the file was made, by the wall clock; 0 for one that an earlier prepd has made.
ALTER TABLE commits ADD COLUMN began_at_ms INTEGER NOT NULL DEFAULT 0;
