-- Attempts in a row that began and never reported: their process ended, or was not heard of for a lease.
ALTER TABLE job ADD COLUMN deaths int NOT NULL DEFAULT 0;
