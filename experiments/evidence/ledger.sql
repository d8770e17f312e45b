-- The ledger of a run: what the two sides wrote down. The tables are those of docs/semantics.md;
-- times are integer nanoseconds from the arm's start (the generator's schedule start) on one steady
-- clock. `try_number` numbers an arm's tries from 0, `attempt` a request's HTTP exchanges, and
-- `repeat` is what `run --repeat` counts. The join that holds the two sides against each other
-- stands in ledger_views.sql.
--
--   sqlite3 run.sqlite "select try_number, kind, count from reconciliation where arm = 'rate=1200 retries=0'"
--   sqlite3 run.sqlite "select arm, repeat, abandoned from abandoned_completions"
--
-- Ledgers of the first version (`PRAGMA user_version` is 0, not 4) say `repeat` in place of
-- `try_number` and have no column for the repeat; a query that was written for them reads a ledger
-- of today by the views arms_v1, requests_v1 and so on. Those of the second version (2) lack only
-- `class` and those of the third (3) `attempts.reason`, and their queries hold as they are.
-- ledger_database.cpp opens them all.

CREATE TABLE IF NOT EXISTS arms (
  arm TEXT NOT NULL, try_number INTEGER NOT NULL,
  token TEXT NOT NULL,      -- RUN of the id header Retrystorm-Attempt: RUN-REQUEST-ATTEMPT
  scenario TEXT NOT NULL,   -- JSON: json_extract(scenario, '$.client.rate')
  trusted INTEGER,          -- 0 or 1
  reasons TEXT,             -- JSON list of texts
  repeat INTEGER,           -- which of the repeats it is a try of, from 0; like the verdict, null
                            -- until the try is judged
  PRIMARY KEY (arm, try_number));

CREATE TABLE IF NOT EXISTS requests (
  arm TEXT NOT NULL, try_number INTEGER NOT NULL, request INTEGER NOT NULL,
  scheduled INTEGER NOT NULL, finished INTEGER, outcome TEXT NOT NULL, reason TEXT,
  class INTEGER NOT NULL DEFAULT 0);  -- of the client, from 0: $.class[0] of the arm's scenario

CREATE TABLE IF NOT EXISTS attempts (
  arm TEXT NOT NULL, try_number INTEGER NOT NULL, request INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  sent INTEGER NOT NULL, ended INTEGER, outcome TEXT NOT NULL, status INTEGER,
  reused INTEGER NOT NULL,
  class INTEGER NOT NULL DEFAULT 0,  -- its request's
  reason TEXT);                      -- of a connect_error or io_error

-- request and attempt are null for a stranger: an arrival without an id of this run.
CREATE TABLE IF NOT EXISTS arrivals (
  arm TEXT NOT NULL, try_number INTEGER NOT NULL, request INTEGER, attempt INTEGER,
  arrived INTEGER NOT NULL, picked INTEGER, started INTEGER, due INTEGER, finished INTEGER,
  replied INTEGER, disposition TEXT NOT NULL, reason TEXT, seen_gone TEXT NOT NULL);

-- Not unique: a second record of one id is a finding to be counted, not an error to be dropped.
CREATE INDEX IF NOT EXISTS requests_by_id ON requests (arm, try_number, request);
CREATE INDEX IF NOT EXISTS attempts_by_id ON attempts (arm, try_number, request, attempt);
CREATE INDEX IF NOT EXISTS arrivals_by_id ON arrivals (arm, try_number, request, attempt);
