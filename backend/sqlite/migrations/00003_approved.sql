-- +goose Up
-- The calls that a person approved, for the last one like another. The condition is on
-- how a decision is written, since each new call is held against it: to take the
-- decision apart would cost more, and fail at a row that is damaged.
CREATE INDEX calls_approved ON calls (agent_id, tool_name, server_id, decided_at)
  WHERE substr(decision, 1, 30) = '{"by":"person","approved":true';
