-- +goose Up
-- The calls again, each with checks of what stands in its row, see check.go, and all that
-- is small before what can be large, so that lists need not read through it.
CREATE TABLE calls_new (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  -- A hash of agent_id, run_id and tool_call_id, which the writer keeps unique. NULL
  -- only until the desk has started once after the second migration.
  identity         INTEGER,
  -- Of the small columns, and of the large ones. NULL: a row from before, of which
  -- nothing is known.
  row_check        INTEGER,
  large_check      INTEGER,
  rev              INTEGER NOT NULL,
  -- What a person's answer is held against: the revs at which what is shown of a call,
  -- and its session, last changed.
  shown_rev        INTEGER NOT NULL DEFAULT 1,
  session_rev      INTEGER NOT NULL DEFAULT 1,
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
  -- NULL: the method of tool calls.
  method           TEXT,
  tool_name        TEXT NOT NULL,
  -- What is wrong with the round that a call says it is; NULL: nothing.
  round            TEXT,
  input_hash       TEXT NOT NULL,
  original_hash    TEXT,
  envelope_hash    TEXT,
  -- By which the same is known when it is asked for again; NULL: by the hash of the input.
  asked_hash       TEXT,
  claim_id         TEXT,
  claim_key        TEXT,
  why              TEXT NOT NULL,
  decision         TEXT,
  risk_reasons     TEXT NOT NULL,
  -- What an answer of scope class covers, as JSON; NULL: the call is answered once only.
  class            TEXT,
  cwd              TEXT,
  -- What the call's tool was, as the call says it to whoever answers.
  sight            TEXT,
  description      TEXT NOT NULL,
  resume_schema    BLOB,
  input            BLOB NOT NULL,
  original_input   BLOB,
  envelope         BLOB,
  resume_data      BLOB,
  result           BLOB
) STRICT;
INSERT INTO calls_new (seq, id, identity, rev, shown_rev, session_rev, status, risk, held, caller_gone, input_wiped, created_at, decided_at,
  expires_at, patience_until, lease_expires_at, timeout, agent_id, session_id, run_id, tool_call_id, agent_name, server_id, method, tool_name, round,
  input_hash, original_hash, envelope_hash, asked_hash, claim_id, claim_key, why, decision, risk_reasons, class, cwd, sight, description,
  resume_schema, input, original_input, envelope, resume_data, result)
SELECT seq, id, identity, rev, shown_rev, session_rev, status, risk, held, caller_gone, input_wiped, created_at, decided_at,
  expires_at, patience_until, lease_expires_at, timeout, agent_id, session_id, run_id, tool_call_id, agent_name, server_id, method, tool_name, round,
  input_hash, original_hash, envelope_hash, asked_hash, claim_id, claim_key, why, decision, risk_reasons, class, cwd, sight, description,
  resume_schema, input, original_input, envelope, resume_data, result FROM calls ORDER BY seq;
DROP TABLE calls;
ALTER TABLE calls_new RENAME TO calls;

-- What hung on the table, as it was.
CREATE INDEX calls_open ON calls (status) WHERE status IN ('pending', 'approved');
CREATE INDEX calls_gone ON calls (agent_id, COALESCE(asked_hash, original_hash, input_hash)) WHERE caller_gone = 1;
CREATE INDEX calls_declined ON calls (seq) WHERE status = 'declined';
CREATE INDEX calls_in_doubt ON calls (seq) WHERE status = 'in_doubt';
CREATE INDEX calls_claimed ON calls (lease_expires_at) WHERE status = 'claimed';
CREATE INDEX calls_approved ON calls (agent_id, tool_name, server_id, decided_at)
  WHERE substr(decision, 1, 30) = '{"by":"person","approved":true';
CREATE INDEX calls_declined_by_person ON calls (decided_at)
  WHERE status = 'declined' AND substr(decision, 1, 31) = '{"by":"person","approved":false' AND instr(decision, ',"remembered":"') = 0;
-- +goose StatementBegin
CREATE TRIGGER renamed AFTER UPDATE OF identity ON calls BEGIN
  DELETE FROM identities WHERE identity = OLD.identity AND seq = OLD.seq;
  INSERT INTO identities (identity, seq) VALUES (NEW.identity, NEW.seq);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER waits_again AFTER UPDATE OF status ON calls WHEN OLD.status <> 'pending' AND NEW.status = 'pending' BEGIN
  INSERT INTO waiting (agent_id, calls, bytes) VALUES (NEW.agent_id, 1, length(NEW.input) + COALESCE(length(NEW.envelope), 0))
    ON CONFLICT (agent_id) DO UPDATE SET calls = calls + 1, bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER waits_no_more AFTER UPDATE OF status ON calls WHEN OLD.status = 'pending' AND NEW.status <> 'pending' BEGIN
  UPDATE waiting SET calls = calls - 1, bytes = bytes - length(OLD.input) - COALESCE(length(OLD.envelope), 0) WHERE agent_id = OLD.agent_id;
END;
-- +goose StatementEnd
