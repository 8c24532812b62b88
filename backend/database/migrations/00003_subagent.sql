-- +goose Up
-- What the agent's program calls the helper that it gave the work to; NULL: the agent itself.
ALTER TABLE calls ADD COLUMN subagent TEXT;
-- 1: the caller's program takes no edited input; NULL: it may.
ALTER TABLE calls ADD COLUMN input_fixed INTEGER;
