-- When this database was last found to lack records that instances knew, or to come from a server of which they knew nothing.
ALTER TABLE prepd_lineage ADD COLUMN records_lost_at timestamptz NOT NULL DEFAULT to_timestamp(0);
