-- The views of a run's ledger: the one join that holds what the two sides wrote down against each
-- other, what follows from it, and the tables as the first version named their columns.

-- Both sides of every exchange, joined by attempt id: the client's view (null if its record was
-- lost or it is a stranger's) and the service's (null if it never saw the attempt).
CREATE VIEW IF NOT EXISTS both_sides AS
  SELECT t.arm, t.try_number, t.request, t.attempt, t.sent, t.ended, t.outcome, t.status,
         a.arrived, a.finished, a.replied, a.disposition, a.seen_gone, a.reason AS service_reason
  FROM attempts t LEFT JOIN arrivals a
    ON a.arm = t.arm AND a.try_number = t.try_number
      AND a.request = t.request AND a.attempt = t.attempt
  UNION ALL
  SELECT a.arm, a.try_number, a.request, a.attempt, NULL, NULL, NULL, NULL,
         a.arrived, a.finished, a.replied, a.disposition, a.seen_gone, a.reason
  FROM arrivals a
  WHERE NOT EXISTS (
    SELECT 1 FROM attempts t
    WHERE t.arm = a.arm AND t.try_number = a.try_number
      AND t.request = a.request AND t.attempt = a.attempt);

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
    -- (a failure on purpose has whatever status it was given)
    WHEN outcome = 'failed_status' AND disposition = 'refused' AND service_reason IS NOT 'injected'
      THEN 'contradiction'
    WHEN outcome = 'connect_error' THEN 'contradiction'
    -- completions: whom were they for?
    WHEN disposition = 'completed' AND outcome = 'succeeded' THEN 'taken'
    WHEN disposition = 'completed' AND outcome = 'timed_out' THEN 'abandoned'
    WHEN disposition = 'completed' AND outcome = 'unfinished' THEN 'completed_unfinished'
    WHEN disposition = 'completed' THEN 'undelivered'
    -- refusals: what did the client make of them?
    WHEN disposition = 'refused' AND outcome IN ('rejected', 'failed_status') THEN 'refused'
    WHEN disposition = 'refused' AND outcome = 'timed_out' THEN 'refused_late'
    WHEN disposition = 'refused' AND outcome = 'unfinished' THEN 'refused_unfinished'
    WHEN disposition = 'refused' THEN 'refused_undelivered'
    WHEN disposition = 'skipped' THEN 'skipped'
    ELSE 'unserved'   -- still queued or in work when the service stopped
  END AS kind FROM both_sides;

CREATE VIEW IF NOT EXISTS reconciliation AS
  SELECT arm, try_number, kind, count(*) AS count FROM exchanges GROUP BY arm, try_number, kind;

-- What each trusted try completed, and how much of it for clients that had left: what the report
-- calls completed and abandoned. One row a repeat, which has at most one trusted try: figures of
-- several tries are no figure of one run, and are not added up. An arm without a trusted try has no
-- row.
CREATE VIEW IF NOT EXISTS abandoned_completions AS
  SELECT e.arm, a.repeat, e.try_number,
    count(iif(e.disposition = 'completed' AND e.request IS NOT NULL, 1, NULL)) AS completed,
    count(iif(e.kind = 'abandoned', 1, NULL)) AS abandoned
  FROM exchanges e JOIN arms a ON a.arm = e.arm AND a.try_number = e.try_number
  WHERE a.trusted = 1
  GROUP BY e.arm, e.try_number;

-- How each request ended, whole also where a killed generator left gaps: a request whose own record
-- was lost is known by its attempts, and one that succeeded in an attempt whose record was lost is
-- unfinished, so that both sums of the identities tell of the same successes.
CREATE VIEW IF NOT EXISTS request_ends AS
  SELECT r.arm, r.try_number, r.request, r.scheduled, r.finished, r.reason, 0 AS record_lost,
    CASE WHEN r.outcome = 'succeeded' AND NOT EXISTS (
      SELECT 1 FROM attempts t WHERE t.arm = r.arm AND t.try_number = r.try_number
        AND t.request = r.request AND t.outcome = 'succeeded')
      THEN 'unfinished' ELSE r.outcome END AS outcome
  FROM requests r
  UNION ALL
  SELECT t.arm, t.try_number, t.request, min(t.sent),
    max(iif(t.outcome = 'succeeded', t.ended, NULL)), NULL, 1,
    iif(max(t.outcome = 'succeeded'), 'succeeded', 'unfinished')
  FROM attempts t
  WHERE NOT EXISTS (SELECT 1 FROM requests r
                    WHERE r.arm = t.arm AND r.try_number = t.try_number AND r.request = t.request)
  GROUP BY t.arm, t.try_number, t.request;

-- The first version's tables and views: its `repeat` is the number of the try.
CREATE VIEW IF NOT EXISTS arms_v1 AS
  SELECT arm, try_number AS repeat, token, scenario, trusted, reasons FROM arms;
CREATE VIEW IF NOT EXISTS requests_v1 AS
  SELECT arm, try_number AS repeat, request, scheduled, finished, outcome, reason FROM requests;
CREATE VIEW IF NOT EXISTS attempts_v1 AS
  SELECT arm, try_number AS repeat, request, attempt, sent, ended, outcome, status, reused
  FROM attempts;
CREATE VIEW IF NOT EXISTS arrivals_v1 AS
  SELECT arm, try_number AS repeat, request, attempt, arrived, picked, started, due, finished,
    replied, disposition, reason, seen_gone
  FROM arrivals;
CREATE VIEW IF NOT EXISTS both_sides_v1 AS
  SELECT arm, try_number AS repeat, request, attempt, sent, ended, outcome, status,
    arrived, finished, replied, disposition, seen_gone
  FROM both_sides;
CREATE VIEW IF NOT EXISTS exchanges_v1 AS
  SELECT arm, try_number AS repeat, request, attempt, sent, ended, outcome, status,
    arrived, finished, replied, disposition, seen_gone, kind
  FROM exchanges;
CREATE VIEW IF NOT EXISTS reconciliation_v1 AS
  SELECT arm, try_number AS repeat, kind, count FROM reconciliation;
CREATE VIEW IF NOT EXISTS request_ends_v1 AS
  SELECT arm, try_number AS repeat, request, scheduled, finished, reason, record_lost, outcome
  FROM request_ends;
