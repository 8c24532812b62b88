package gateway

import (
	"bytes"
	"encoding/json"
	"sync"

	"sekisho/backend/permission"
)

// maxTasks bounds how many tasks of one agent at one server are known. One more takes the
// place of any.
const maxTasks = 10_000

// sharedKey names an agent at a server.
type sharedKey struct {
	agent  permission.AgentID
	server string
}

// commonKey names the session that stateless requests of an agent at a server share.
type commonKey struct {
	sharedKey
	persona string               // of the clients that have it; "" is all
	session permission.SessionID // by whose token they come; "" is by their own
}

// tasks knows the tasks that calls of agents began at servers, by what the servers answered.
// It is safe for use by many goroutines; the zero value is empty.
type tasks struct {
	mu    sync.Mutex
	known map[sharedKey]map[string]bool
}

// learn takes note of the tasks that an answer names: that of a call, or those of a list.
func (t *tasks) learn(of sharedKey, result []byte) {
	if !bytes.Contains(result, []byte(`"taskId"`)) {
		return
	}
	type named struct {
		TaskID string `json:"taskId"`
	}
	var said struct {
		named
		Task  named
		Tasks []named
	}
	if json.Unmarshal(result, &said) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[sharedKey]map[string]bool{}
	}
	known := t.known[of]
	if known == nil {
		known = map[string]bool{}
		t.known[of] = known
	}
	for _, task := range append(said.Tasks, said.named, said.Task) {
		if task.TaskID == "" || len(task.TaskID) > permission.MaxURIBytes {
			continue
		}
		if known[task.TaskID] = true; len(known) <= maxTasks {
			continue
		}
		for old := range known {
			if old != task.TaskID {
				delete(known, old)
				break
			}
		}
	}
}

func (t *tasks) has(of sharedKey, id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[of][id]
}
