-- The memory of Valkey under which an instance was admitted last, and whether this history has ever had a standby.
ALTER TABLE prepd_lineage
  ADD COLUMN witness text NOT NULL DEFAULT '',
  ADD COLUMN has_standby boolean NOT NULL DEFAULT false;
