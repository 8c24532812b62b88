-- +goose Up
-- What agents do together; see package coordination. The person is the participant 'person'.
CREATE TABLE tasks (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  project_id  TEXT NOT NULL,
  title       TEXT NOT NULL,
  description TEXT NOT NULL,
  assignee_id TEXT,
  state       TEXT NOT NULL CHECK (state IN ('todo', 'in_progress', 'done', 'failed', 'blocked')),
  result      TEXT,
  summary     TEXT NOT NULL,
  session_id  TEXT,
  created_by  TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_project ON tasks (project_id, seq);
CREATE INDEX tasks_open ON tasks (project_id, assignee_id) WHERE state IN ('todo', 'in_progress');
-- A session has one task in its life.
CREATE UNIQUE INDEX tasks_session ON tasks (session_id) WHERE session_id IS NOT NULL;
CREATE TABLE conversations (
  seq        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  first      TEXT NOT NULL,
  second     TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('pending', 'active', 'ended')),
  turns      INTEGER NOT NULL,
  max_turns  INTEGER NOT NULL,
  last_from  TEXT NOT NULL,
  delegate   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_project ON conversations (project_id, seq);
CREATE INDEX conversations_live ON conversations (project_id, seq) WHERE state <> 'ended';
CREATE INDEX conversations_delegate ON conversations (delegate) WHERE delegate <> '';
-- A place in the order is given once, also where the last message was deleted.
CREATE TABLE messages (
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL,
  project_id      TEXT NOT NULL,
  sender          TEXT NOT NULL,
  receiver        TEXT NOT NULL,
  text            TEXT NOT NULL,
  key             TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  delivered_at    INTEGER
) STRICT;
CREATE INDEX messages_waiting ON messages (project_id, receiver, seq) WHERE delivered_at IS NULL;
CREATE INDEX messages_conversation ON messages (conversation_id, seq);
CREATE INDEX messages_sender ON messages (project_id, sender, created_at);
CREATE UNIQUE INDEX messages_key ON messages (project_id, sender, key) WHERE key <> '';
-- How long a person took to answer calls of a tool, without what denial memory said again; the
-- condition is on the form in which a decision is kept.
CREATE INDEX calls_answered ON calls (server_id, tool_name, decided_at)
  WHERE method IS NULL AND substr(decision, 1, 14) = '{"by":"person"' AND instr(decision, ',"remembered":"') = 0;
