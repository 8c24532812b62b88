-- +goose Up
-- What a person made of an agent: coordinator, or NULL.
ALTER TABLE agents ADD COLUMN role TEXT;
-- Projects and the agents that belong to them: members is an object of roles by the ids of agents.
CREATE TABLE projects (
  id         TEXT PRIMARY KEY,
  members    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
-- Sessions that the desk made. Of the passkey, and of the token that it was changed for, there is
-- a hash in secret_hash: while passkey_until is not 0 it is the passkey's. Times are in
-- milliseconds, and 0 is none; ttl is how long the token lives.
CREATE TABLE sessions (
  id            TEXT PRIMARY KEY,
  agent_id      TEXT NOT NULL,
  role          TEXT NOT NULL,
  purpose       TEXT NOT NULL,
  project_id    TEXT NOT NULL,
  secret_hash   TEXT NOT NULL UNIQUE,
  ttl           INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  passkey_until INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  ended_at      INTEGER NOT NULL
) STRICT;
