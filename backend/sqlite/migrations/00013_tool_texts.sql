-- +goose Up
-- What is kept to be shown of a tool's definitions testifies through its pin: seen_text and
-- pinned_text are the hashes of the kept texts, large ones cut, and name rows of
-- tool_texts. '' is not known: the text of an older pin stands under the hash of its
-- definition, until the desk hears of the tool again.
ALTER TABLE tool_pins ADD COLUMN seen_text TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_pins ADD COLUMN pinned_text TEXT NOT NULL DEFAULT '';
-- The deceiving characters of the definition that was seen last, as JSON: what was cut off
-- its text is in them too. '' is none, or not known.
ALTER TABLE tool_pins ADD COLUMN flags TEXT NOT NULL DEFAULT '';
