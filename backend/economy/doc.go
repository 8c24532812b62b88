// Package economy measures how often a person is asked: its test replays recorded work
// through fresh desks, and `make economy` prints the table of docs/operations.md. It holds no
// product code.
package economy
