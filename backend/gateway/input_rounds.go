package gateway

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

const (
	roundWithin = 10 * time.Minute // for a caller to come back with what a server asked for
	maxRounds   = 1000             // of one agent that are open at once
	maxAsked    = 200              // questions of one round, and responses
)

// rounds are the executed calls of the era without sessions that a server answered by
// asking for input: the caller is to repeat the same call with it, and that is not a call
// of its own. Each is continued once, by the agent that was so answered, at the same server
// with the same tool, arguments and requestState, and with responses to nothing but what
// the server asked. A caller's word counts for nothing here,
// and what is forgotten is judged as any other call.
type rounds struct {
	mu   sync.Mutex
	open map[permission.AgentID]map[roundKey]round
}

// roundKey is a hash of what the next round repeats.
type roundKey [sha256.Size]byte

type round struct {
	call   permission.CallID
	server permission.Server // as it was reached
	sight  permission.Sight  // what the tool was
	asked  []string          // the keys of the server's inputRequests
	until  time.Time
}

// note keeps a round, in the place of an older one with the same key: they could not be
// told apart. Of too many the one that ends first is forgotten.
func (r *rounds) note(agent permission.AgentID, key roundKey, next round, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[permission.AgentID]map[roundKey]round{}
	}
	own := r.open[agent]
	if own == nil {
		own = map[roundKey]round{}
		r.open[agent] = own
	}
	if len(own) >= maxRounds {
		thin(own, at)
	}
	own[key] = next
}

// thin takes rounds out that are over, and the one that ends next.
func thin(own map[roundKey]round, at time.Time) {
	var next roundKey
	for key, r := range own {
		if first, known := own[next]; !known || r.until.Before(first.until) {
			next = key
		}
	}
	delete(own, next)
	maps.DeleteFunc(own, func(_ roundKey, r round) bool { return !at.Before(r.until) })
}

// take gives the call that a round continues, once; "" is none. What it was has to be
// what it is: the server as it is reached, and the tool.
func (r *rounds) take(
	agent permission.AgentID, key roundKey, server *permission.Server, sight permission.Sight, brought []string, at time.Time,
) permission.CallID {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.open[agent]
	last, known := own[key]
	delete(own, key)
	if len(own) == 0 {
		delete(r.open, agent)
	}
	if !known || !at.Before(last.until) || !last.server.Same(server) || last.sight != sight {
		return ""
	}
	if slices.ContainsFunc(brought, func(key string) bool { return !slices.Contains(last.asked, key) }) {
		return ""
	}
	return last.call
}

// passed is what goes to and fro between two rounds: the server's requestState, if it gave
// one, and the keys of its inputRequests or of the caller's inputResponses.
type passed struct {
	state    string
	stateful bool
	keys     []string
}

// keyOf names a round by the hash of the call's server, tool and arguments, and by the
// server's requestState. Servers need not give one; a caller may then not give one either.
func keyOf(inputHash string, p passed) roundKey {
	if p.stateful {
		p.state = "=" + p.state
	}
	return sha256.Sum256([]byte(inputHash + p.state))
}

// nextRound reads what a further round of a call brings back of the server's. Where
// another reader could see something else there, it is none.
func nextRound(envelope []byte) (p passed, ok bool) {
	if envelope == nil {
		return p, false
	}
	members, err := rawjson.Members(envelope)
	if err != nil {
		return p, false
	}
	got, bad := mcpwire.Pick(members, "requestState", "inputResponses")
	if bad != nil || len(got) == 0 {
		return p, false
	}
	return passedBy(got, "inputResponses")
}

// unfinished reads what a server gives to a call that it has not completed; ok is false
// for other results.
func unfinished(result []byte) (p passed, ok bool) {
	if !bytes.Contains(result, []byte(`"input_required"`)) {
		return p, false
	}
	members, err := rawjson.Members(result)
	if err != nil {
		return p, false
	}
	got, bad := mcpwire.Pick(members, "resultType", "requestState", "inputRequests")
	if kind, _ := mcpwire.Text(got["resultType"].Value); bad != nil || kind != "input_required" {
		return p, false
	}
	return passedBy(got, "inputRequests")
}

// passedBy reads the requestState among some members, and the keys of another one; ok is
// false where the first is no string, or the second no object or one of very many keys.
func passedBy(members map[string]rawjson.Member, object string) (p passed, ok bool) {
	if raw, stateful := members["requestState"]; stateful {
		if p.state, p.stateful = mcpwire.Text(raw.Value); !p.stateful {
			return p, false
		}
	}
	raw, known := members[object]
	if !known {
		return p, true
	}
	inside, err := rawjson.Members(raw.Value)
	if len(inside) > maxAsked {
		return p, false
	}
	for _, m := range inside {
		p.keys = append(p.keys, m.Key)
	}
	return p, err == nil
}
