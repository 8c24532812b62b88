// Package notify is the desk on the person's desktop, beside its window: one
// notification that counts what waits, a tray item, and the name under which a
// second start finds the first. All of it speaks over the session's message bus,
// where every process of the person can speak too: so nothing here can decide a
// call or let more happen. The most that a message from there does is to bring the
// window up, to hold everything, or to end the desk, which asks first while calls wait.
package notify

import (
	"log/slog"

	"sekisho/backend/permission"
)

// State is what there is to show.
type State struct {
	Waiting  int    // calls that wait for a person
	More     bool   // there are more than Waiting says
	Arrivals int    // grows with each call that comes to wait
	Newest   *Asked // the newest of those that wait
	High     bool   // one of them is of high risk

	Notify   bool   // a notification shall stand while calls wait
	Sound    bool   // it sounds when a call has come
	Quiet    bool   // nothing shall ask for attention
	Held     bool   // everything is held
	Language string // of the settings; "" follows the system
}

// Asked is a call as far as a notification tells of it. The names are the agent's.
type Asked struct {
	Agent  string
	Tool   string
	Server *string // nil is a tool of the agent's own program
}

// About gives what a notification tells of a call.
func About(c *permission.Call) *Asked {
	return &Asked{Agent: c.AgentName, Tool: c.ToolName, Server: c.ServerID}
}

// Options of a Desktop. The functions are what a person can do there, or another
// process of the session in the person's name. They must not wait for the Desktop.
type Options struct {
	Folder string // the desk's data folder: a second start on it finds this desk
	Icon   []byte // the product's icon, a PNG
	Logger *slog.Logger

	// Open brings the window up; Review does so for what waits. token is the
	// desktop's leave to do that, where it gives one.
	Open, Review func(token string)
	// Hold holds everything. Only the window can end that.
	Hold func()
	// Quit ends the desk, or asks the person first.
	Quit func()
	// Changed tells that a tray or a notification service came or went.
	Changed func()
}
