// Package history reads the tool calls and the permission lists that agent programs have
// written on this disk: transcripts of Claude Code, rollouts of Codex, chats of Gemini CLI
// and the storage of opencode. It only reads, opens no connection, follows no link out of
// a program's folder, and keeps nothing: each call is handed on and forgotten. What cannot
// be read is passed over and counted.
package history
