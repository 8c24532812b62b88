// Package upstream is a server behind the desk, as one session has it: a process that is
// started with it and ends with it (child), a connection over HTTP (remote), signed with the
// tokens of a person's sign-in, or a handler in the desk's own process (builtin). It carries messages as they are, to a Listener in the
// order of each stream, and says when an answer will never come. What a server says of its
// own troubles is kept without the secrets that it was given (Redactor).
//
// Whoever has a Server stops it: no goroutine and no process is left once Over is closed.
package upstream
