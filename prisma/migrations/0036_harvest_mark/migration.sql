-- What a run of a harvest must not forget of single records, so that a source may be larger than memory. Gone when the run has ended.
CREATE TABLE harvest_mark (
  run_id text NOT NULL REFERENCES harvest_run (id) ON DELETE CASCADE,
  mark text NOT NULL,
  -- An id or name at the source, as the mark says.
  record text COLLATE "C" NOT NULL,
  detail text,
  PRIMARY KEY (run_id, mark, record)
);
