package workstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/coordination"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/workstore"
)

// fill keeps 100,000 messages in ten projects, most of them delivered.
func fill(t testing.TB, s *sqlite.Store) {
	t.Helper()
	err := s.Write(context.Background(), func(tx *journal.Tx) error {
		for _, query := range []string{
			`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
			INSERT INTO conversations (id, project_id, first, second, state, turns, max_turns, last_from, delegate, created_at, updated_at)
			SELECT 'c' || i, 'p' || (i % 10), 'a' || (i % 7), 'b' || (i % 5), IIF(i % 50 = 0, 'active', 'ended'), 20, 20, 'a', '', i, i FROM n`,
			`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
			INSERT INTO messages (id, conversation_id, project_id, sender, receiver, text, key, created_at, delivered_at)
			SELECT 'm' || i, 'c' || (i % 5000), 'p' || (i % 10), 'a' || (i % 7), 'b' || (i % 5), printf('%0400d', i), '', i, IIF(i % 1000 < 10,
				NULL, i) FROM n`,
			`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
			INSERT INTO tasks (id, project_id, title, description, assignee_id, state, summary, session_id, created_at, updated_at)
			SELECT 't' || i, 'p' || (i % 10), 'x', '', 'b' || (i % 5), IIF(i % 20 = 0, 'todo', 'done'), '', 's' || i, i, i FROM n`,
		} {
			if _, err := tx.Exec(query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkNextActionOf100000Messages is what an agent waits for what it is to do.
func BenchmarkNextActionOf100000Messages(b *testing.B) {
	kept, store := open(b, b.TempDir())
	fill(b, store)
	c := coordination.New(kept, &alone{})
	var took []time.Duration
	for i := range b.N {
		purpose := permission.PurposeChat
		if i%2 == 0 {
			purpose = permission.PurposeTask
		}
		s := coordination.Session{ID: permission.SessionID(fmt.Sprint("x", i%10)), AgentID: permission.AgentID(fmt.Sprint("b", i%5)),
			ProjectID: permission.ProjectID(fmt.Sprint("p", i%10)), Purpose: purpose}
		began := time.Now()
		if _, err := c.Next(context.Background(), s, 0); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

// TestNoListLooksAtAllMessages: what an agent waits for is found by an index.
func TestNoListLooksAtAllMessages(t *testing.T) {
	_, store := open(t, t.TempDir())
	for _, query := range []string{
		"SELECT id FROM messages WHERE project_id = 'p' AND receiver = 'a' AND delivered_at IS NULL ORDER BY seq LIMIT 50",
		"SELECT COUNT(*) FROM messages WHERE project_id = 'p'",
		"SELECT COUNT(*) FROM messages WHERE project_id = 'p' AND sender = 'a' AND created_at > 5",
		"SELECT id FROM messages WHERE conversation_id = 'c' ORDER BY seq",
		"SELECT id FROM tasks WHERE session_id = 's' ORDER BY seq",
		"SELECT id FROM tasks WHERE project_id = 'p' AND assignee_id = 'a' AND state IN ('todo', 'in_progress') ORDER BY seq",
		"SELECT id FROM conversations WHERE delegate <> '' AND delegate = 's' AND project_id = 'p' ORDER BY seq",
		`SELECT decided_at - created_at FROM calls WHERE server_id = 's' AND tool_name = 't' AND decided_at > 5 AND method IS NULL
			AND substr(decision, 1, 14) = '{"by":"person"' AND instr(decision, ',"remembered":"') = 0 ORDER BY decided_at DESC LIMIT 50`,
	} {
		rows, err := store.Reader().Query("EXPLAIN QUERY PLAN " + query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var plan string
			if err := rows.Scan(&id, &parent, &unused, &plan); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(plan, "SCAN") {
				t.Errorf("%s: %s", query, plan)
			}
		}
		rows.Close()
	}
}

// alone is a desk where no session is open.
type alone struct{ coordination.Desk }

func (*alone) Now() permission.Time { return permission.TimeOf(time.Now()) }

func (*alone) Session(context.Context, permission.SessionID) (coordination.Session, error) {
	return coordination.Session{}, permission.NotFound("session")
}

const killedFolder = "SEKISHO_TEST_KILLED_FOLDER"

// TestWhatWasToldOutlivesAKill: a process that keeps messages and tasks is killed again and again;
// what it was told to be kept is there, once, and each change has its entry in the journal.
func TestWhatWasToldOutlivesAKill(t *testing.T) {
	if dir := os.Getenv(killedFolder); dir != "" {
		work(t, dir)
		return
	}
	dir, told := t.TempDir(), map[string]bool{}
	for round := range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWhatWasToldOutlivesAKill$", "-test.v")
		cmd.Env = append(os.Environ(), killedFolder+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		d, lines := json.NewDecoder(skipping{out}), 0
		for lines < 7+3*round {
			var id string
			if err := d.Decode(&id); err != nil {
				break
			}
			told[id], lines = true, lines+1
		}
		cmd.Process.Kill()
		_ = cmd.Wait()
	}
	kept, store := open(t, dir)
	conversations, err := kept.Conversations(t.Context(), coordination.ConversationFilter{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, c := range conversations {
		messages, err := kept.Messages(t.Context(), c.ID)
		if err != nil || len(messages) != c.Turns {
			t.Errorf("%s: %d messages, %d turns, %v", c.ID, len(messages), c.Turns, err)
		}
		for _, m := range messages {
			found[string(m.ID)]++
		}
	}
	for id := range told {
		if found[id] != 1 {
			t.Errorf("%s is there %d times", id, found[id])
		}
	}
	sent := 0
	entries, _, err := store.Journal(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Kind == permission.ConversationsChanged && strings.Contains(string(e.Data), `"what":"sent"`) {
			sent++
		}
	}
	if len(told) == 0 || sent != len(found) {
		t.Errorf("%d were told of, %d entries for %d messages", len(told), sent, len(found))
	}
}

// work keeps messages until it is killed, and tells of each once it is kept.
func work(t *testing.T, dir string) {
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	kept, n := workstore.New(s.Reader(), s.Write), os.Getpid()
	for i := 0; ; i++ {
		id := fmt.Sprintf("%d-%d", n, i)
		c := coordination.Conversation{ID: coordination.ConversationID("c" + id), ProjectID: "p",
			Participants: [2]coordination.Participant{"a", "b"},
			State:        coordination.Pending, Turns: 1, MaxTurns: 20, LastFrom: "a"}
		m := coordination.Message{ID: coordination.MessageID("m" + id), ConversationID: c.ID, ProjectID: "p", From: coordination.Person, To: "b",
			Text: "x"}
		if _, _, err := kept.AddConversation(t.Context(), c, m, "person"); err != nil && !errors.Is(err, coordination.ErrTooOften) {
			t.Fatal(err)
		}
		fmt.Printf("%q\n", "m"+id)
	}
}

// skipping passes over what is no JSON text: the lines of the test's own.
type skipping struct {
	from interface{ Read([]byte) (int, error) }
}

func (s skipping) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if i := strings.Index(string(p[:n]), "=== RUN"); i >= 0 {
		line := strings.IndexByte(string(p[i:n]), '\n')
		if line < 0 {
			line = n - i - 1
		}
		n = copy(p, p[i+line+1:n])
	}
	return n, err
}
