-- Which instances there are, and what each did in each minute of the last day, for the operator's console.
CREATE TABLE prepd_instances (
  name text NOT NULL PRIMARY KEY,
  version text NOT NULL,
  since_ms bigint NOT NULL,
  seen_ms bigint NOT NULL,
  is_ready boolean
);
CREATE TABLE prepd_traffic (
  instance text NOT NULL,
  until_ms bigint NOT NULL,
  span_ms bigint NOT NULL,
  requests bigint NOT NULL,
  failed bigint NOT NULL,
  p99_ms float8,
  loop_delay_ms float8 NOT NULL,
  resident_bytes bigint NOT NULL,
  PRIMARY KEY (instance, until_ms)
);
CREATE INDEX prepd_traffic_until ON prepd_traffic (until_ms);
