-- Timelines by user or organization read the periods of a few keys.
CREATE INDEX statistics_period_series ON statistics_period (scope, dimension, period, key, start);
-- Date histograms of searches by time of creation, as dataset_search_modified does for changes.
CREATE INDEX dataset_search_created ON dataset_search (created_at DESC, number) WHERE public;
