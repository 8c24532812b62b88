-- +goose Up
-- What is known of the servers' tools. Hashes name rows of tool_texts; '' is none. A
-- pin is there from the first allow on: launch is then not ''.
CREATE TABLE tool_pins (
  server_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  seen      TEXT NOT NULL,
  pinned    TEXT NOT NULL,
  launch    TEXT NOT NULL,
  back      INTEGER NOT NULL,
  -- The tool changed: no rule and no grant allows it.
  withheld  INTEGER NOT NULL,
  PRIMARY KEY (server_id, tool_name)
) STRICT, WITHOUT ROWID;

-- Definitions and launches by their hashes, large ones cut.
CREATE TABLE tool_texts (
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  cut  INTEGER NOT NULL
) STRICT;
