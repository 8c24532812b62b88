package gateway

import (
	"fmt"
	"testing"
)

// TestTasksAreBounded, and the newest is always known.
func TestTasksAreBounded(t *testing.T) {
	var known tasks
	of := sharedKey{"agent", "server"}
	for i := range maxTasks + 100 {
		id := fmt.Sprint("task-", i)
		known.learn(of, fmt.Appendf(nil, `{"task":{"taskId":%q}}`, id))
		if !known.has(of, id) {
			t.Fatalf("%s is not known", id)
		}
	}
	if n := len(known.known[of]); n != maxTasks {
		t.Errorf("%d are known", n)
	}
	known.learn(of, []byte(`{"tasks":[{"taskId":"a"},{"taskId":"b"}],"taskId":"c"}`))
	for _, id := range []string{"a", "b", "c"} {
		if !known.has(of, id) || known.has(sharedKey{"another", "server"}, id) {
			t.Errorf("%s", id)
		}
	}
}
