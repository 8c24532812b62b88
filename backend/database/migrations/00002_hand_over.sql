-- +goose Up
-- 1: a yes to the call has data for its resume_schema; NULL: it need not.
ALTER TABLE calls ADD COLUMN resume_required INTEGER;
-- The calls that were handed over to their agent's program, to find the yes to one that is
-- asked about by another door too. The literal is permission.HandedOver.
CREATE INDEX calls_handed ON calls (agent_id, COALESCE(asked_hash, original_hash, input_hash)) WHERE result = x'7b2268616e6465644f766572223a747275657d';
