-- +goose Up
-- Where the calls of an identity are, beside them: an index would change a page of its
-- own for nearly every new call, and the disk is what a new call waits for. The desk
-- enters new calls later, many at once and in order, and keeps those that are not
-- entered yet in memory.
CREATE TABLE identities (
  identity INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  PRIMARY KEY (identity, seq)
) STRICT, WITHOUT ROWID;

-- The calls up to this one are entered.
CREATE TABLE identified (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  through INTEGER NOT NULL
) STRICT;
INSERT INTO identified (id, through) VALUES (1, 0);

DROP INDEX calls_identity;
-- +goose StatementBegin
CREATE TRIGGER renamed AFTER UPDATE OF identity ON calls BEGIN
  DELETE FROM identities WHERE identity = OLD.identity AND seq = OLD.seq;
  INSERT INTO identities (identity, seq) VALUES (NEW.identity, NEW.seq);
END;
-- +goose StatementEnd
