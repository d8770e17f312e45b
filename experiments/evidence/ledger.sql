-- The ledger of a run: what the two sides wrote down, and the one join that holds them against each
-- other. The tables are those of docs/semantics.md; times are integer nanoseconds from the arm's
-- start (the generator's schedule start) on one steady clock. `repeat` numbers an arm's tries from 0.
--
--   sqlite3 run.sqlite "select kind, count from reconciliation where arm = 'rate=1200 retries=0'"
--   sqlite3 run.sqlite "select arm, count(*) from exchanges where kind = 'abandoned' group by arm"

CREATE TABLE IF NOT EXISTS arms (
  arm TEXT NOT NULL, repeat INTEGER NOT NULL,
  token TEXT NOT NULL,      -- RUN of the id header Retrystorm-Attempt: RUN-REQUEST-ATTEMPT
  scenario TEXT NOT NULL,   -- JSON: json_extract(scenario, '$.client.rate')
  trusted INTEGER,          -- 0 or 1
  reasons TEXT,             -- JSON list of texts
  PRIMARY KEY (arm, repeat));

CREATE TABLE IF NOT EXISTS requests (
  arm TEXT NOT NULL, repeat INTEGER NOT NULL, request INTEGER NOT NULL,
  scheduled INTEGER NOT NULL, finished INTEGER, outcome TEXT NOT NULL, reason TEXT);

CREATE TABLE IF NOT EXISTS attempts (
  arm TEXT NOT NULL, repeat INTEGER NOT NULL, request INTEGER NOT NULL, attempt INTEGER NOT NULL,
  sent INTEGER NOT NULL, ended INTEGER, outcome TEXT NOT NULL, status INTEGER,
  reused INTEGER NOT NULL);

-- request and attempt are null for a stranger: an arrival without an id of this run.
CREATE TABLE IF NOT EXISTS arrivals (
  arm TEXT NOT NULL, repeat INTEGER NOT NULL, request INTEGER, attempt INTEGER,
  arrived INTEGER NOT NULL, picked INTEGER, started INTEGER, due INTEGER, finished INTEGER,
  replied INTEGER, disposition TEXT NOT NULL, reason TEXT, seen_gone TEXT NOT NULL);

-- Not unique: a second record of one id is a finding to be counted, not an error to be dropped.
CREATE INDEX IF NOT EXISTS requests_by_id ON requests (arm, repeat, request);
CREATE INDEX IF NOT EXISTS attempts_by_id ON attempts (arm, repeat, request, attempt);
CREATE INDEX IF NOT EXISTS arrivals_by_id ON arrivals (arm, repeat, request, attempt);

-- Both sides of every exchange, joined by attempt id: the client's view (null if its record was
-- lost or it is a stranger's) and the service's (null if it never saw the attempt).
CREATE VIEW IF NOT EXISTS both_sides AS
  SELECT t.arm, t.repeat, t.request, t.attempt, t.sent, t.ended, t.outcome, t.status,
         a.arrived, a.finished, a.replied, a.disposition, a.seen_gone
  FROM attempts t LEFT JOIN arrivals a
    ON a.arm = t.arm AND a.repeat = t.repeat AND a.request = t.request AND a.attempt = t.attempt
  UNION ALL
  SELECT a.arm, a.repeat, a.request, a.attempt, NULL, NULL, NULL, NULL,
         a.arrived, a.finished, a.replied, a.disposition, a.seen_gone
  FROM arrivals a
  WHERE NOT EXISTS (
    SELECT 1 FROM attempts t
    WHERE t.arm = a.arm AND t.repeat = a.repeat AND t.request = a.request AND t.attempt = a.attempt);

-- Each exchange is of exactly one kind. reconcile.cpp says which of them need no explanation.
CREATE VIEW IF NOT EXISTS exchanges AS
  SELECT *, CASE
    -- one side only
    WHEN request IS NULL THEN 'stranger'
    WHEN outcome IS NULL AND disposition = 'completed' THEN 'completed_attempt_lost'
    WHEN outcome IS NULL THEN 'attempt_lost'
    WHEN disposition IS NULL AND outcome = 'connect_error' THEN 'not_connected'
    WHEN disposition IS NULL AND outcome = 'io_error' THEN 'never_seen_io_error'
    WHEN disposition IS NULL AND outcome = 'unfinished' THEN 'never_seen_unfinished'
    WHEN disposition IS NULL THEN 'never_seen'
    -- what cannot be: one side tells of a reply that the other did not give
    WHEN outcome = 'succeeded' AND disposition <> 'completed' THEN 'contradiction'
    WHEN outcome = 'rejected' AND disposition = 'completed' THEN 'contradiction'
    WHEN outcome = 'failed_status' AND disposition = 'refused' THEN 'contradiction'
    WHEN outcome = 'connect_error' THEN 'contradiction'
    -- completions: whom were they for?
    WHEN disposition = 'completed' AND outcome = 'succeeded' THEN 'taken'
    WHEN disposition = 'completed' AND outcome = 'timed_out' THEN 'abandoned'
    WHEN disposition = 'completed' AND outcome = 'unfinished' THEN 'completed_unfinished'
    WHEN disposition = 'completed' THEN 'undelivered'
    -- refusals: what did the client make of them?
    WHEN disposition = 'refused' AND outcome = 'rejected' THEN 'refused'
    WHEN disposition = 'refused' AND outcome = 'timed_out' THEN 'refused_late'
    WHEN disposition = 'refused' AND outcome = 'unfinished' THEN 'refused_unfinished'
    WHEN disposition = 'refused' THEN 'refused_undelivered'
    WHEN disposition = 'skipped' THEN 'skipped'
    ELSE 'unserved'   -- still queued or in work when the service stopped
  END AS kind FROM both_sides;

CREATE VIEW IF NOT EXISTS reconciliation AS
  SELECT arm, repeat, kind, count(*) AS count FROM exchanges GROUP BY arm, repeat, kind;

-- How each request ended, whole also where a killed generator left gaps: a request whose own record
-- was lost is known by its attempts, and one that succeeded in an attempt whose record was lost is
-- unfinished, so that both sums of the identities tell of the same successes.
CREATE VIEW IF NOT EXISTS request_ends AS
  SELECT r.arm, r.repeat, r.request, r.scheduled, r.finished, r.reason, 0 AS record_lost,
    CASE WHEN r.outcome = 'succeeded' AND NOT EXISTS (
      SELECT 1 FROM attempts t WHERE t.arm = r.arm AND t.repeat = r.repeat
                                 AND t.request = r.request AND t.outcome = 'succeeded')
      THEN 'unfinished' ELSE r.outcome END AS outcome
  FROM requests r
  UNION ALL
  SELECT t.arm, t.repeat, t.request, min(t.sent), max(iif(t.outcome = 'succeeded', t.ended, NULL)),
    NULL, 1, iif(max(t.outcome = 'succeeded'), 'succeeded', 'unfinished')
  FROM attempts t
  WHERE NOT EXISTS (SELECT 1 FROM requests r
                    WHERE r.arm = t.arm AND r.repeat = t.repeat AND r.request = t.request)
  GROUP BY t.arm, t.repeat, t.request;
