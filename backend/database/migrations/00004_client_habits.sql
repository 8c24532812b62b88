-- +goose Up
-- How long the clients of agents were seen to wait for a person, in milliseconds; 0: not known.
CREATE TABLE client_habits (
  agent_id TEXT NOT NULL,
  client   TEXT NOT NULL,
  leaves   INTEGER NOT NULL,
  grown    INTEGER NOT NULL,
  wary     INTEGER NOT NULL,
  PRIMARY KEY (agent_id, client)
) STRICT, WITHOUT ROWID;
