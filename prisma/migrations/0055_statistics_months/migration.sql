-- One row per month with the numbers of its days, instead of one row per day: long timelines read a thirtieth of the rows.
CREATE TABLE statistics_month (
  scope text COLLATE "C" NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  month date NOT NULL,
  key text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  days bigint[] NOT NULL,
  PRIMARY KEY (scope, dimension, month, key, action)
);

INSERT INTO statistics_month (scope, dimension, month, key, action, count, days)
SELECT scope, dimension, date_trunc('month', start::timestamp)::date, key, action, sum(count),
  ARRAY(SELECT coalesce(sum(d.count), 0)::bigint
    FROM generate_series(1, 31) n LEFT JOIN unnest(array_agg(extract(day FROM start)::int), array_agg(count)) d(day, count) ON d.day = n
    GROUP BY n ORDER BY n)
FROM statistics_period WHERE period = 'day' GROUP BY 1, 2, 3, 4, 5;

DROP TABLE statistics_period;

-- Timelines by user or organization read the months of a few keys.
CREATE INDEX statistics_month_series ON statistics_month (scope, dimension, key, month);
