-- +goose Up
-- The journal's entries that are about no call: among them those that say what the rules,
-- the servers and the other sets are, of which a start needs the newest. A call's entry
-- costs nothing here.
CREATE INDEX journal_own ON journal (seq) WHERE call_id IS NULL;

-- The journal's name, which its signatures hold; a row is there from the first start on
-- that the sets testify.
CREATE TABLE journal_name (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL
) STRICT;
