-- The request that caused a job or wrote a revision, as W3C traceparent, for links of traces. The checks are not validated,
-- because all existing rows have no value: adding them reads no row.
ALTER TABLE job ADD COLUMN traceparent text;
ALTER TABLE job ADD CONSTRAINT job_traceparent CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$') NOT VALID;
ALTER TABLE revision ADD COLUMN traceparent text;
ALTER TABLE revision ADD CONSTRAINT revision_traceparent CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$') NOT VALID;
