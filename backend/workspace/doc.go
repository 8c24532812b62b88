// Package workspace judges calls of the tools of a workspace as the desk does, before rules, hold
// and persons: what room guard refuses is refused, and the level of what it lets pass is that of
// its table, which what the input holds besides (room risk) can only raise.
//
// It is a judge: what the folder's files are, and how far commands are confined, comes in with the
// question.
package workspace
