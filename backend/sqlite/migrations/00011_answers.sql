-- +goose Up
-- What a person's answer is held against: the revs at which what is shown of a call, and
-- its session, last changed, and what its tool was then. They stand behind what can be
-- large, but a 1 and a NULL, which nearly all rows have, take no room: nothing is read
-- through to find them.
ALTER TABLE calls ADD COLUMN shown_rev INTEGER NOT NULL DEFAULT 1;
ALTER TABLE calls ADD COLUMN session_rev INTEGER NOT NULL DEFAULT 1;
ALTER TABLE calls ADD COLUMN sight TEXT;
UPDATE calls SET shown_rev = rev, session_rev = rev WHERE status IN ('pending', 'approved') AND rev > 1;

-- Whether a pin's hashes are of all that a server said of its tool. Those that are there
-- are of some members alone, until the desk hears of the tool again.
ALTER TABLE tool_pins ADD COLUMN whole INTEGER NOT NULL DEFAULT 0;

-- What persons declined lately, without what denial memory said again. No word of a
-- person looks like the end of this condition: quotes in it are escaped.
CREATE INDEX calls_declined_by_person ON calls (decided_at)
  WHERE status = 'declined' AND substr(decision, 1, 31) = '{"by":"person","approved":false' AND instr(decision, ',"remembered":"') = 0;
