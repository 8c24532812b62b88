// Package tool runs the workspace tools: it reads, writes and lists files through one handle
// of the workspace's folder, and starts commands confined to it.
//
// Every call is judged by the room guard first, whoever has judged it before. What guard
// says of a path is lexical; here a path is opened by a handle of the folder (os.Root),
// which no link leaves, also one that is put there while a path is walked.
package tool
