-- +goose Up
-- The calls again, laid out for writing: a row and its indexes are added at their
-- ends, and only the index of identities in between. What can be large stands last,
-- so that lists need not read through it. No row is ever deleted: seq grows without
-- AUTOINCREMENT.
CREATE TABLE calls_new (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  -- A hash of agent_id, run_id and tool_call_id, which the writer keeps unique. NULL
  -- only until the desk has started once after the migration.
  identity         INTEGER,
  rev              INTEGER NOT NULL,
  status           TEXT NOT NULL,
  risk             TEXT NOT NULL,
  held             INTEGER NOT NULL,
  caller_gone      INTEGER NOT NULL,
  input_wiped      INTEGER NOT NULL DEFAULT 0,
  created_at       INTEGER NOT NULL,
  decided_at       INTEGER,
  expires_at       INTEGER,
  patience_until   INTEGER,
  lease_expires_at INTEGER,
  -- How far the caller shortened its wait, in milliseconds; 0 is not at all.
  timeout          INTEGER NOT NULL DEFAULT 0,
  agent_id         TEXT NOT NULL,
  session_id       TEXT NOT NULL,
  run_id           TEXT NOT NULL,
  tool_call_id     TEXT NOT NULL,
  agent_name       TEXT NOT NULL,
  server_id        TEXT,
  tool_name        TEXT NOT NULL,
  input_hash       TEXT NOT NULL,
  original_hash    TEXT,
  claim_id         TEXT,
  claim_key        TEXT,
  why              TEXT NOT NULL,
  decision         TEXT,
  risk_reasons     TEXT NOT NULL,
  -- What an answer of scope class covers, as JSON; NULL: the call is answered once only.
  class            TEXT,
  cwd              TEXT,
  description      TEXT NOT NULL,
  input            BLOB NOT NULL,
  original_input   BLOB,
  resume_schema    BLOB,
  resume_data      BLOB,
  result           BLOB
) STRICT;
INSERT INTO calls_new (seq, id, rev, status, risk, held, caller_gone, created_at, decided_at, expires_at, patience_until, lease_expires_at,
  agent_id, session_id, run_id, tool_call_id, agent_name, server_id, tool_name, input_hash, claim_id, claim_key, why, decision, risk_reasons,
  cwd, description, input, result)
SELECT seq, id, rev, status, risk, held, caller_gone, created_at, decided_at, expires_at, patience_until, lease_expires_at,
  agent_id, session_id, run_id, tool_call_id, agent_name, server_id, tool_name, input_hash, claim_id, claim_key, why, decision, risk_reasons,
  cwd, description, input, result FROM calls ORDER BY seq;
DROP TABLE calls;
ALTER TABLE calls_new RENAME TO calls;
CREATE INDEX calls_identity ON calls (identity);
-- In order of arrival: with the agent in it every new call would change a page of its
-- own. To look through 100,000 open calls for those of one agent takes some 25 ms.
CREATE INDEX calls_open ON calls (status) WHERE status IN ('pending', 'approved');
CREATE INDEX calls_gone ON calls (agent_id, COALESCE(original_hash, input_hash)) WHERE caller_gone = 1;
CREATE INDEX calls_declined ON calls (seq) WHERE status = 'declined';
CREATE INDEX calls_in_doubt ON calls (seq) WHERE status = 'in_doubt';
CREATE INDEX calls_claimed ON calls (lease_expires_at) WHERE status = 'claimed';

-- Nobody looks for the entries of one call.
DROP INDEX journal_call;

-- How much of each agent's waits, so that its limit costs one look. The writer counts
-- new calls itself: with a trigger on inserts, SQLite would copy every page of the
-- tables before it adds to them.
CREATE TABLE waiting (
  agent_id TEXT PRIMARY KEY,
  calls    INTEGER NOT NULL,
  bytes    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO waiting SELECT agent_id, COUNT(*), SUM(length(input)) FROM calls WHERE status = 'pending' GROUP BY agent_id;
-- +goose StatementBegin
CREATE TRIGGER waits_again AFTER UPDATE OF status ON calls WHEN OLD.status <> 'pending' AND NEW.status = 'pending' BEGIN
  INSERT INTO waiting (agent_id, calls, bytes) VALUES (NEW.agent_id, 1, length(NEW.input))
    ON CONFLICT (agent_id) DO UPDATE SET calls = calls + 1, bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER waits_no_more AFTER UPDATE OF status ON calls WHEN OLD.status = 'pending' AND NEW.status <> 'pending' BEGIN
  UPDATE waiting SET calls = calls - 1, bytes = bytes - length(OLD.input) WHERE agent_id = OLD.agent_id;
END;
-- +goose StatementEnd

-- Remembered answers of scope class and session. max_risk is a rank: 0 is low.
CREATE TABLE grants (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  agent_id   TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  session_id TEXT NOT NULL,
  scope      TEXT NOT NULL,
  class      TEXT,
  approved   INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  max_risk   INTEGER NOT NULL,
  call_id    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  hits       INTEGER NOT NULL
) STRICT;
CREATE INDEX grants_session ON grants (agent_id, session_id);

-- Declined inputs of a session, so that the same is not asked twice.
CREATE TABLE denials (
  agent_id   TEXT NOT NULL,
  session_id TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  call_id    TEXT NOT NULL,
  reason     TEXT NOT NULL,
  count      INTEGER NOT NULL,
  PRIMARY KEY (agent_id, session_id, input_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  document TEXT NOT NULL
) STRICT;
