-- +goose Up
-- How many calls of a kind there were in the minute, or of older ones the quarter of an hour,
-- that begins at a time; see package tally.
CREATE TABLE counts (
  at    INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  of    TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (at, kind, of)
) STRICT, WITHOUT ROWID;
-- When a person was last at the desk, the last time that nobody was, and how long the person
-- takes a break; 0 is none.
CREATE TABLE presence (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  seen_at      INTEGER NOT NULL,
  away_from    INTEGER NOT NULL,
  away_to      INTEGER NOT NULL,
  paused_until INTEGER NOT NULL
) STRICT;
INSERT INTO presence (id, seen_at, away_from, away_to, paused_until) VALUES (1, 0, 0, 0, 0);

-- The calls that there are, as far as their rows tell: how they came in,
INSERT INTO counts (at, kind, of, calls)
SELECT at - at % 60000, kind, IIF(kind IN ('allowed', 'denied'), rule, ''), COUNT(*) FROM (
  SELECT created_at AS at,
    COALESCE(CASE WHEN json_valid(decision) THEN json_extract(decision, '$.ruleId') END,
      CASE WHEN json_valid(why) THEN json_extract(why, '$.rule.id') END, '') AS rule,
    CASE
      WHEN allowed_by = 'rule' AND allowed_at <= created_at THEN 'allowed'
      WHEN allowed_by = 'grant' AND allowed_at <= created_at THEN 'granted'
      WHEN status = 'denied' AND decided_at <= created_at THEN 'denied'
      WHEN asking IS NULL OR status = 'declined' AND decided_at <= created_at THEN 'repeated'
      ELSE 'asked'
    END AS kind
  FROM calls) GROUP BY 1, 2, 3;
-- and what became of those that waited. A wait has two digits.
INSERT INTO counts (at, kind, of, calls)
SELECT at - at % 60000, kind, IIF(kind IN ('approved', 'declined'), CAST(CASE
    WHEN wait < 10000 THEN wait - wait % 100
    WHEN wait < 100000 THEN wait - wait % 1000
    WHEN wait < 1000000 THEN wait - wait % 10000
    WHEN wait < 10000000 THEN wait - wait % 100000
    WHEN wait < 100000000 THEN wait - wait % 1000000
    WHEN wait < 1000000000 THEN wait - wait % 10000000
    ELSE wait - wait % 100000000 END AS TEXT), ''), COUNT(*) FROM (
  SELECT COALESCE(allowed_at, decided_at) AS at, COALESCE(allowed_at, decided_at) - created_at AS wait,
    CASE
      WHEN allowed_by = 'person' THEN 'approved'
      WHEN allowed_by IS NOT NULL THEN 'settled'
      WHEN status = 'declined' AND substr(decision, 1, 14) = '{"by":"person"' AND NOT instr(decision, '"code":"') THEN 'declined'
      WHEN status = 'expired' THEN 'expired'
      WHEN status = 'cancelled' THEN 'cancelled'
      ELSE 'settled'
    END AS kind
  FROM calls WHERE asking IS NOT NULL AND status <> 'pending' AND COALESCE(allowed_at, decided_at) > created_at)
GROUP BY 1, 2, 3;
