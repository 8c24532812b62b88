-- +goose Up
-- Whether the server has said of a tool that it may destroy, so that the desk knows it
-- whichever way a call comes in, and after a restart.
ALTER TABLE tool_pins ADD COLUMN destructive INTEGER NOT NULL DEFAULT 0;
UPDATE tool_pins SET destructive = 1 WHERE EXISTS (SELECT 1 FROM tool_texts WHERE hash IN (seen, pinned)
  AND CASE WHEN json_valid(text) THEN json_extract(text, '$.annotations.destructiveHint') END = 1);
