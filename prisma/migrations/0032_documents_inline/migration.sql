-- Documents of usual size stay in their row, as they are: to find them elsewhere and unpack them took two thirds of the time that
-- PostgreSQL needs for a list of datasets. Those written before follow when they are written next.
ALTER TABLE dataset_document SET (toast_tuple_target = 8160);
