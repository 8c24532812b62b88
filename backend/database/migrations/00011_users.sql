-- +goose Up
-- The user whom an agent works for; NULL: it is its own.
ALTER TABLE agents ADD COLUMN user_id TEXT;
