-- +goose Up
CREATE TABLE tool_permission_rules (
  id           TEXT PRIMARY KEY,
  server_id    TEXT,
  tool_name    TEXT,
  tool_pattern TEXT,
  -- The method of MCP that the rule is about. Without one a deny rule is about all that are
  -- judged, and an ask or allow rule about tool calls.
  method       TEXT,
  auto_approve INTEGER NOT NULL DEFAULT 0,
  priority     INTEGER NOT NULL DEFAULT 0,
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL,
  effect       TEXT,
  condition    TEXT,
  enabled      INTEGER NOT NULL DEFAULT 1,
  note         TEXT NOT NULL DEFAULT '',
  expires_at   TEXT,
  -- How many calls an allow rule allows in how many seconds; NULL: as many as there are.
  limit_calls   INTEGER,
  limit_seconds INTEGER,
  examples     TEXT NOT NULL DEFAULT '[]',
  hits         INTEGER NOT NULL DEFAULT 0,
  last_hit_at  TEXT
);

-- The versions of the policy, and of each set that a desk has a copy of in memory.
CREATE TABLE policy (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  version  INTEGER NOT NULL,
  settings INTEGER NOT NULL,
  servers  INTEGER NOT NULL,
  tools    INTEGER NOT NULL,
  agents   INTEGER NOT NULL
) STRICT;
INSERT INTO policy (id, version, settings, servers, tools, agents) VALUES (1, 1, 1, 1, 1, 1);

-- Calls in arrival order; times in milliseconds since the Unix epoch. The table is laid out
-- for writing: a row and its indexes are added at their ends. All that is small stands before
-- what can be large, so that lists need not read through it. No row is ever deleted: seq
-- grows without AUTOINCREMENT.
CREATE TABLE calls (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  -- A hash of agent_id, run_id and tool_call_id, which the writer keeps unique.
  identity         INTEGER NOT NULL,
  -- Sums of the small columns, and of the large ones; see check.go.
  row_check        INTEGER NOT NULL,
  large_check      INTEGER NOT NULL,
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
  -- When a rule, a grant or a person last let the call run, and which of them: the brake
  -- counts by it. It stays when the call is withdrawn. What repeats an older yes has none.
  allowed_at       INTEGER,
  allowed_by       TEXT,
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
  -- How far an answer can reach, as JSON; NULL: the call never waited.
  asking           TEXT,
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
CREATE INDEX calls_open ON calls (status) WHERE status IN ('pending', 'approved');
CREATE INDEX calls_gone ON calls (agent_id, COALESCE(asked_hash, original_hash, input_hash)) WHERE caller_gone = 1;
CREATE INDEX calls_declined ON calls (seq) WHERE status = 'declined';
CREATE INDEX calls_in_doubt ON calls (seq) WHERE status = 'in_doubt';
CREATE INDEX calls_claimed ON calls (lease_expires_at) WHERE status = 'claimed';
-- The calls that a person approved, for the last one like another. The condition is on
-- how a decision is written, since each new call is held against it: to take the
-- decision apart would cost more, and fail at a row that is damaged.
CREATE INDEX calls_approved ON calls (agent_id, tool_name, server_id, decided_at)
  WHERE substr(decision, 1, 30) = '{"by":"person","approved":true';
-- What persons declined lately, without what denial memory said again. No word of a
-- person looks like the end of this condition: quotes in it are escaped.
CREATE INDEX calls_declined_by_person ON calls (decided_at)
  WHERE status = 'declined' AND substr(decision, 1, 31) = '{"by":"person","approved":false' AND instr(decision, ',"remembered":"') = 0;

-- The calls that were let run after they had waited: those that were allowed as they came
-- in stand in the order of the calls.
CREATE INDEX calls_allowed_later ON calls (allowed_at) WHERE allowed_at > created_at;

-- What calls took of the limits of rules, in the transactions that allowed them. What is too
-- old for any limit is removed.
CREATE TABLE places (
  seq     INTEGER PRIMARY KEY,
  rule_id TEXT NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

-- Where the calls of an identity are, beside them: an index would change a page of its
-- own for nearly every new call, and the disk is what a new call waits for. The desk
-- enters new calls later, many at once and in order, and keeps those that are not
-- entered yet in memory.
CREATE TABLE identities (
  identity INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  PRIMARY KEY (identity, seq)
) STRICT, WITHOUT ROWID;
-- The calls up to this one are entered.
CREATE TABLE identified (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  through INTEGER NOT NULL
) STRICT;
INSERT INTO identified (id, through) VALUES (1, 0);
-- +goose StatementBegin
CREATE TRIGGER renamed AFTER UPDATE OF identity ON calls BEGIN
  DELETE FROM identities WHERE identity = OLD.identity AND seq = OLD.seq;
  INSERT INTO identities (identity, seq) VALUES (NEW.identity, NEW.seq);
END;
-- +goose StatementEnd

-- How much of each agent's waits, so that its limit costs one look. An envelope counts.
-- The writer counts new calls itself: with a trigger on inserts, SQLite would copy every
-- page of the tables before it adds to them.
CREATE TABLE waiting (
  agent_id TEXT PRIMARY KEY,
  calls    INTEGER NOT NULL,
  bytes    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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

CREATE TABLE journal (
  seq       INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  call_id   TEXT,
  actor     TEXT NOT NULL,
  data      TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash      TEXT NOT NULL
) STRICT;
-- The entries that are about no call: among them those that say what the rules, the servers
-- and the other sets are, of which a start needs the newest. A call's entry costs nothing
-- here.
CREATE INDEX journal_own ON journal (seq) WHERE call_id IS NULL;
-- The journal's name, which its signatures hold; a row is there from the end of the first
-- start on.
CREATE TABLE journal_name (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL
) STRICT;

-- Values of environments and headers are kept outside of the database: in a spec there are
-- references in their place.
CREATE TABLE servers (
  id       TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  spec     TEXT NOT NULL
) STRICT;

CREATE TABLE agents (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;
-- Ids of agents that were removed, whose last requests may still be on their way.
CREATE TABLE removed_agents (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Remembered answers of scope class and session. max_risk is a rank: 0 is low.
CREATE TABLE grants (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  agent_id   TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  session_id TEXT NOT NULL,
  scope      TEXT NOT NULL,
  server_id  TEXT,
  class      TEXT,
  -- The ids of the ask rules that asked about the answered call, as JSON.
  questions  TEXT NOT NULL,
  approved   INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  max_risk   INTEGER NOT NULL,
  call_id    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  hits       INTEGER NOT NULL
) STRICT;
CREATE INDEX grants_session ON grants (agent_id, session_id);

-- What was declined in a session, by the hash of what was asked for, so that the same is
-- not asked twice.
CREATE TABLE denials (
  agent_id   TEXT NOT NULL,
  session_id TEXT NOT NULL,
  asked_hash TEXT NOT NULL,
  call_id    TEXT NOT NULL,
  reason     TEXT NOT NULL,
  count      INTEGER NOT NULL,
  PRIMARY KEY (agent_id, session_id, asked_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  document TEXT NOT NULL
) STRICT;

-- What is known of the servers' tools. Hashes name rows of tool_texts; '' is none. A
-- pin is there from the first allow on: launch is then not ''.
CREATE TABLE tool_pins (
  server_id   TEXT NOT NULL,
  tool_name   TEXT NOT NULL,
  seen        TEXT NOT NULL,
  pinned      TEXT NOT NULL,
  launch      TEXT NOT NULL,
  back        INTEGER NOT NULL,
  -- The tool changed: no rule and no grant allows it.
  withheld    INTEGER NOT NULL,
  -- Whether the server has said of the tool that it may destroy, so that the desk knows it
  -- whichever way a call comes in, and after a restart.
  destructive INTEGER NOT NULL,
  -- Whether the hashes are of all that a server said of its tool.
  whole       INTEGER NOT NULL,
  -- The hashes of the kept texts, large ones cut: what is shown of a definition testifies
  -- through its pin.
  seen_text   TEXT NOT NULL,
  pinned_text TEXT NOT NULL,
  -- The deceiving characters of the definition that was seen last, as JSON: what was cut off
  -- its text is in them too.
  flags       TEXT NOT NULL,
  -- The risk that a person gave the tool, and when; '' is none. It is void once the
  -- definition is another.
  level       TEXT NOT NULL,
  level_at    INTEGER NOT NULL,
  level_void  INTEGER NOT NULL,
  PRIMARY KEY (server_id, tool_name)
) STRICT, WITHOUT ROWID;
-- Definitions and launches by their hashes, large ones cut.
CREATE TABLE tool_texts (
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  cut  INTEGER NOT NULL
) STRICT;
