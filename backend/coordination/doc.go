// Package coordination is how agents of a project work together: tasks that are given to
// agents, conversations between two of them or with the person at the desk, and what each is
// to do next. It knows who asks and for what from the desk; what it keeps is behind a store.
//
// A task is done by one session, which reports its end once. A message is in one conversation,
// has a place in the order of its project, and is handed to its receiver until it is known that
// the answer with it arrived. Whoever waits for something to do is woken by the change itself.
//
// The tools for agents are in tools.go and serve.go, the rows for the person in rows.go.
package coordination
