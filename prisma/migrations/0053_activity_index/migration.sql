-- Only lists of all activities name this condition. For the activities of one author the planner took this index, too, and
-- read it to its end for each author without any.
DROP INDEX change_activity_sequence;
CREATE INDEX change_activity_sequence ON change (sequence) WHERE activity_id IS NOT NULL AND sequence > 0;
