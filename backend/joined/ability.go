package joined

import (
	"context"
	"encoding/json"
	"sync"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// ability is what a server says that it can, in its answer to initialize.
type ability struct {
	list      [mcpwire.ListKinds]bool
	subscribe bool // to resources
	complete  bool
	log       bool // its log level can be set
}

// abilityOf reads a server's capabilities. Those that are no object are none.
func abilityOf(capabilities []byte) (can ability) {
	var said map[string]json.RawMessage
	if json.Unmarshal(capabilities, &said) != nil {
		return can
	}
	has := func(name string) bool { return len(said[name]) > 0 && said[name][0] == '{' }
	can.list = [mcpwire.ListKinds]bool{mcpwire.OfTools: has("tools"), mcpwire.OfPrompts: has("prompts"),
		mcpwire.OfResources: has("resources"), mcpwire.OfTemplates: has("resources")}
	can.complete, can.log = has("completions"), has("logging")
	var resources struct {
		Subscribe bool `json:"subscribe"`
	}
	can.subscribe = has("resources") && json.Unmarshal(said["resources"], &resources) == nil && resources.Subscribe
	return can
}

// or is what one of two can.
func (a ability) or(b ability) ability {
	for what, can := range b.list {
		a.list[what] = a.list[what] || can
	}
	a.subscribe, a.complete, a.log = a.subscribe || b.subscribe, a.complete || b.complete, a.log || b.log
	return a
}

// everything is what a server may turn out to be able to.
var everything = ability{list: [mcpwire.ListKinds]bool{true, true, true, true}, subscribe: true, complete: true, log: true}

// capabilities is what the desk says of itself at the joined endpoint. Tools it may always
// come to have, and it logs itself.
func (a ability) capabilities() []byte {
	type changing struct {
		ListChanged bool `json:"listChanged"`
		Subscribe   bool `json:"subscribe,omitempty"`
	}
	said := map[string]any{"logging": struct{}{}, "tools": changing{ListChanged: true}}
	if a.list[mcpwire.OfPrompts] {
		said["prompts"] = changing{ListChanged: true}
	}
	if a.list[mcpwire.OfResources] {
		said["resources"] = changing{ListChanged: true, Subscribe: a.subscribe}
	}
	if a.complete {
		said["completions"] = struct{}{}
	}
	raw, err := json.Marshal(said)
	if err != nil {
		panic("capabilities always marshal: " + err.Error())
	}
	return raw
}

// abilities remembers what the servers of a desk can, of any agent's session.
type abilities struct {
	desk Desk

	mu  sync.Mutex
	met map[string]met // by the server's id
}

// met is what a server said that it can, as it was then.
type met struct {
	server permission.Server
	can    ability
}

func (a *abilities) learn(server *permission.Server, can ability) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.met[server.ID] = met{*server, can}
}

// together is what all servers can. No server is started only to be asked: one that has not
// been met as it is now may be able to do everything, and what it does not have is not in its
// lists.
func (a *abilities) together(ctx context.Context) (all ability) {
	servers, err := a.desk.Servers(ctx)
	if err != nil {
		return everything
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range servers {
		known, ok := a.met[servers[i].ID]
		switch {
		case !servers[i].Enabled:
		case !ok || !known.server.Same(&servers[i]):
			return everything
		default:
			all = all.or(known.can)
		}
	}
	return all
}
