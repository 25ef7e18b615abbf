-- Every dataset has a row of views, also without any, so that lists by views follow usage_total_recent and usage_total_total.
CREATE FUNCTION note_new_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_total (dataset_id, resource_id, kind, total, recent, before, indexed)
    SELECT id, '', 1, 0, 0, 0, true FROM written ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_views AFTER INSERT ON dataset
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_new_views();

INSERT INTO usage_total (dataset_id, resource_id, kind, total, recent, before, indexed)
  SELECT id, '', 1, 0, 0, 0, true FROM dataset ON CONFLICT DO NOTHING;

-- Datasets whose uses grow, the largest growth first.
CREATE INDEX usage_total_rising ON usage_total (resource_id, kind, (recent - before) DESC, dataset_id) WHERE recent > before;
