-- The random id of the branch of a history, which history it is of, the run of the server to which an instance was admitted last, and
-- when a database without records began.
ALTER TABLE prepd_lineage
  ADD COLUMN branch text NOT NULL DEFAULT '',
  ADD COLUMN branch_of text NOT NULL DEFAULT '',
  ADD COLUMN run text NOT NULL DEFAULT '',
  ADD COLUMN began_at timestamptz NOT NULL DEFAULT to_timestamp(0);
