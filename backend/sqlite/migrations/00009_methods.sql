-- +goose Up
-- The method of MCP that a rule is about. Without one a deny rule is about all that are
-- judged, and an ask or allow rule about tool calls, as every rule until now was.
ALTER TABLE tool_permission_rules ADD COLUMN method TEXT;
