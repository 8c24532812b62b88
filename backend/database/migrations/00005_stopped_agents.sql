-- +goose Up
-- Until when the calls of an agent are refused that a person stopped; NULL: it was not stopped, or goes on.
ALTER TABLE agents ADD COLUMN stopped_until INTEGER;
