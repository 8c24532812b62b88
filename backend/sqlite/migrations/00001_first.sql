-- +goose Up
CREATE TABLE tool_permission_rules (
  id           TEXT PRIMARY KEY,
  server_id    TEXT,
  tool_name    TEXT,
  tool_pattern TEXT,
  auto_approve INTEGER NOT NULL DEFAULT 0,
  priority     INTEGER NOT NULL DEFAULT 0,
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL,
  effect       TEXT,
  condition    TEXT,
  enabled      INTEGER NOT NULL DEFAULT 1,
  note         TEXT NOT NULL DEFAULT '',
  expires_at   TEXT,
  examples     TEXT NOT NULL DEFAULT '[]',
  hits         INTEGER NOT NULL DEFAULT 0,
  last_hit_at  TEXT
);

CREATE TABLE policy (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT;
INSERT INTO policy (id, version) VALUES (1, 1);

-- Rows in arrival order; times in milliseconds since the Unix epoch.
CREATE TABLE calls (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  rev              INTEGER NOT NULL,
  run_id           TEXT NOT NULL,
  tool_call_id     TEXT NOT NULL,
  session_id       TEXT NOT NULL,
  agent_id         TEXT NOT NULL,
  agent_name       TEXT NOT NULL,
  server_id        TEXT,
  tool_name        TEXT NOT NULL,
  input            BLOB NOT NULL,
  input_hash       TEXT NOT NULL,
  description      TEXT NOT NULL,
  cwd              TEXT,
  status           TEXT NOT NULL,
  why              TEXT NOT NULL,
  decision         TEXT,
  decided_at       INTEGER,
  risk             TEXT NOT NULL,
  risk_reasons     TEXT NOT NULL,
  held             INTEGER NOT NULL,
  caller_gone      INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  expires_at       INTEGER,
  patience_until   INTEGER,
  claim_id         TEXT,
  claim_key        TEXT,
  lease_expires_at INTEGER,
  result           BLOB,
  UNIQUE (agent_id, run_id, tool_call_id)
) STRICT;
CREATE INDEX calls_open ON calls (status, agent_id) WHERE status IN ('pending', 'approved');
CREATE INDEX calls_gone ON calls (agent_id, input_hash) WHERE caller_gone = 1;

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
CREATE INDEX journal_call ON journal (call_id) WHERE call_id IS NOT NULL;

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
