-- +goose Up
-- Programs that run the tools of workspaces where the files are; project_ids is a list of ids of
-- servers. Of the token there is a hash.
CREATE TABLE executors (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  token_hash  TEXT NOT NULL UNIQUE,
  project_ids TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;
