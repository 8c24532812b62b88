// Package hook is the door of agent programs' hooks: an agent's own program hands an event of
// it to `sekisho hook`, which posts it here as it was written, and prints and exits as the
// answer says.
//
// Each client has a dialect, a file of its own: it reads which tool an event is about, and
// writes a yes or a no in words that this client understands. To most a no is exit code 2 with
// the reason on stderr. Nothing but a yes of the desk to that very event is a yes: an event
// that cannot be read, an error and a doubt are a no.
//
// The tool runs in the client, where the desk does not see its end. So a call is claimed and
// ends at once, as handed over. The same event again within permission.HandedOverFor, as where
// hooks in two files run at once, gets the same answer; later it is refused.
package hook
