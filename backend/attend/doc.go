// Package attend is the call runner of every door: it takes one judged request of a
// waiting caller through the desk, from the question to the recorded result.
//
// A door brings three things: a Request, which says what is asked for; an Executor, which
// executes the call with the bytes of the desk's row; and a Voice, which tells the caller
// what becomes of it. Run asks the desk, waits for a person with signs of life, answers
// PENDING before the caller's patience ends, leaves the call where its caller has gone,
// claims it, checks that the row is what was asked for, executes it once, and records what
// came of it before the caller hears it. The same request later joins the call that was
// left, and gets its outcome.
package attend
