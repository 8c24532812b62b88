-- +goose Up
-- Values of servers' environments and headers are kept outside of the database from
-- here on: in a spec there are references in their place. A row here says that values
-- may still stand in this file, in its log or in a copy of it.
CREATE TABLE unsealed (
  id INTEGER PRIMARY KEY CHECK (id = 1)
) STRICT;
INSERT INTO unsealed (id) VALUES (1);
