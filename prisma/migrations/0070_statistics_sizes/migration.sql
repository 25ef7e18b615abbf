-- Negative sizes of resources count as 0 bytes: their datasets are counted again.
INSERT INTO statistics_pending (kind, id) SELECT DISTINCT 'dataset', dataset_id FROM resource WHERE size < 0;
