package command

import "strings"

// Effect is a set of what a part does, as far as the table knows.
type Effect uint16

// The effects. A part of none is one that the table does not know.
const (
	Reads    Effect = 1 << iota // files, or what the system says of itself
	Changes                     // files, or settings
	Destroys                    // what cannot be had back, or history
	Sends                       // or publishes, or acts on another machine
	Fetches                     // asks the network
	Raises                      // takes more rights, or gives them
	Runs                        // the code of a project, a package or another program
	Remote                      // code from the net that is named by its address
	Secrets                     // shows keys, passwords or tokens
)

var effectNames = []string{"reads", "changes", "destroys", "sends", "fetches", "raises", "runs", "remote", "secrets"}

// Has reports whether any effect of the other set is in this one.
func (e Effect) Has(other Effect) bool { return e&other != 0 }

// String names the effects.
func (e Effect) String() string { return strings.Join(e.Names(), " ") }

// Names are those of the effects, in one order.
func (e Effect) Names() []string {
	names := []string{}
	for i, name := range effectNames {
		if e.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// effectOf gives the effect of a name, or 0.
func effectOf(name string) Effect {
	for i, known := range effectNames {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

// graveCode is what a text that code runs may add to it.
const graveCode = Destroys | Sends | Raises | Remote
