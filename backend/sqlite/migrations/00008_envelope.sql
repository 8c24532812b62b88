-- +goose Up
-- What a call is beside its tool and its input. They stand behind what can be large, but
-- take no room and need no reading where they are NULL, as they are for most calls.
-- NULL: the method of tool calls.
ALTER TABLE calls ADD COLUMN method TEXT;
-- What is wrong with the round that a call says it is; NULL: nothing.
ALTER TABLE calls ADD COLUMN round TEXT;
ALTER TABLE calls ADD COLUMN envelope_hash TEXT;
-- By which the same is known when it is asked for again; NULL: by the hash of the input.
ALTER TABLE calls ADD COLUMN asked_hash TEXT;
ALTER TABLE calls ADD COLUMN envelope BLOB;

DROP INDEX calls_gone;
CREATE INDEX calls_gone ON calls (agent_id, COALESCE(asked_hash, original_hash, input_hash)) WHERE caller_gone = 1;
ALTER TABLE denials RENAME COLUMN input_hash TO asked_hash;

-- An envelope counts into how much of an agent waits.
DROP TRIGGER waits_again;
DROP TRIGGER waits_no_more;
-- +goose StatementBegin
CREATE TRIGGER waits_again AFTER UPDATE OF status ON calls WHEN OLD.status <> 'pending' AND NEW.status = 'pending' BEGIN
  INSERT INTO waiting (agent_id, calls, bytes) VALUES (NEW.agent_id, 1, length(NEW.input) + COALESCE(length(NEW.envelope), 0))
    ON CONFLICT (agent_id) DO UPDATE SET calls = calls + 1, bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER waits_no_more AFTER UPDATE OF status ON calls WHEN OLD.status = 'pending' AND NEW.status <> 'pending' BEGIN
  UPDATE waiting SET calls = calls - 1, bytes = bytes - length(OLD.input) - COALESCE(length(OLD.envelope), 0) WHERE agent_id = OLD.agent_id;
END;
-- +goose StatementEnd
