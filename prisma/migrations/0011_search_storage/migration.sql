-- Words stay in their row, uncompressed: ranking reads them for every dataset found.
ALTER TABLE dataset_search SET (toast_tuple_target = 8160);
ALTER TABLE dataset_search ALTER COLUMN words SET STORAGE MAIN, ALTER COLUMN field_words SET STORAGE EXTERNAL;
