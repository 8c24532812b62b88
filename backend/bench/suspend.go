package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
)

// suspend measures durable suspending by how many ask at once: broker and store
// against a bare log that appends the same bytes, and against a queue. The log's
// requesters make and encode the call too, because whoever keeps a call has to: the
// ratio is then the price of rows, guards and the journal, and not that of JSON. The
// log's "ready" row, which is there to compare, has its bytes made beforehand.
func suspend(ctx context.Context, s settings, dir string) (rows []row, err error) {
	for _, n := range []int{1, 16, 256} {
		part := filepath.Join(dir, fmt.Sprint("suspend-", n))
		if err := os.Mkdir(part, 0o700); err != nil {
			return nil, err
		}
		more, err := suspendBy(ctx, s, part, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func suspendBy(ctx context.Context, s settings, dir string, n int) (rows []row, err error) {
	ours, closeOurs, err := openDesk(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeOurs()) }()
	log, err := openLog(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.close()) }()
	queue, closeQueue, err := openQueue(ctx, filepath.Join(dir, "queue.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeQueue()) }()

	ready := encode(newSuspension(0, 0, 1))
	us := &contestant{name: fmt.Sprintf("suspend, %d at once", n), turn: crowd(n, s.turn, ours)}
	raw := &contestant{name: fmt.Sprintf("fdatasync log, %d at once", n), turn: crowd(n, s.turn, func(r int, i int64) error {
		return log.append(encode(newSuspension(r, i, 1)))
	})}
	bare := &contestant{name: fmt.Sprintf("fdatasync log, bytes ready, %d at once", n), turn: crowd(n, s.turn, func(int, int64) error {
		return log.append(ready)
	})}
	peer := &contestant{name: fmt.Sprintf("goqite, %d at once", n), turn: crowd(n, s.turn, func(r int, i int64) error {
		return queue(encode(newSuspension(r, i, 1)))
	})}
	if err := compete(s.rounds, us, raw, bare, peer); err != nil {
		return nil, err
	}
	share, times := raw.median()/us.median(), peer.median()/us.median()
	rows = []row{{us.name, us.rates(), fmt.Sprintf("%.2fx the log", share), fmt.Sprintf("≥ %gx", shareGoals[n]), share >= shareGoals[n]},
		{what: raw.name, figure: raw.rates()},
		{what: bare.name, figure: bare.rates(), ratio: fmt.Sprintf("ours is %.2fx", bare.median()/us.median())}}
	last := row{what: peer.name, figure: peer.rates(), ratio: fmt.Sprintf("ours is %.1fx", times)}
	if n == 256 {
		last.goal, last.reached = "≥ 30x", times >= 30
	}
	return append(rows, last), nil
}

// shareGoals is how much of the log's rate is wanted, by how many ask at once.
var shareGoals = map[int]float64{1: 0.9, 16: 0.6, 256: 0.4}

// crowd makes a turn in which n requesters ask as fast as they are answered. Each
// asks once before the clock starts.
func crowd(n int, turn time.Duration, op func(requester int, i int64) error) func() (float64, error) {
	var last atomic.Int64
	return func() (float64, error) {
		var done, failed atomic.Int64
		var firsts, all sync.WaitGroup
		var fault error
		firsts.Add(n)
		began := make(chan time.Time, 1)
		go func() {
			firsts.Wait()
			began <- time.Now()
		}()
		var over atomic.Bool
		for r := range n {
			all.Go(func() {
				err := op(r, last.Add(1))
				firsts.Done()
				for err == nil && !over.Load() {
					if err = op(r, last.Add(1)); err == nil {
						done.Add(1)
					}
				}
				if err != nil && failed.Add(1) == 1 {
					fault = err
				}
			})
		}
		start := <-began
		before := done.Load()
		time.Sleep(turn)
		count, took := done.Load()-before, time.Since(start)
		over.Store(true)
		all.Wait()
		if count == 0 || fault != nil {
			return 0, errors.Join(fault, errors.New("a turn without an answer or with an error"))
		}
		return float64(took.Nanoseconds()) / float64(count), nil
	}
}

// openDesk gives the suspending of a broker over a store.
func openDesk(ctx context.Context, dir string) (func(int, int64) error, func() error, error) {
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	_, version, _, err := store.Rules(ctx)
	if err != nil {
		return nil, nil, err
	}
	b := broker.New(store)
	store.Listen(b.Committed)
	ask := func(r int, i int64) error {
		_, kept, err := b.Suspend(ctx, newSuspension(r, i, version))
		if err == nil && kept != permission.KeptNew {
			err = fmt.Errorf("a new call was kept as %s", kept)
		}
		return err
	}
	return ask, func() error { b.Close(); return store.Close() }, nil
}

// newSuspension is an ordinary call of one of 256 agents that waits for a person.
func newSuspension(requester int, i, version int64) permission.Suspension {
	server := "files"
	at := permission.TimeOf(time.Now())
	c := permission.Call{
		ID: permission.CallID(uuid.Must(uuid.NewV7()).String()), Rev: 1, RunID: permission.RunID(fmt.Sprint("run-", requester)),
		ToolCallID: fmt.Sprint("call-", i),
		Caller: permission.Caller{SessionID: "session", AgentID: permission.AgentID(fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", requester)),
			AgentName: "agent"},
		ServerID: &server, ToolName: "write_file",
		Input:     []byte(`{"path":"notes/today.md","content":"a few words, as an agent writes them into a file of a person"}`),
		InputHash: fmt.Sprintf("sha256:%064x", i), Status: permission.Pending,
		Why:  permission.Why{Explanation: permission.Said("no rule applies")},
		Risk: permission.RiskMedium, RiskReasons: []permission.RiskReason{},
		CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	data, err := json.Marshal(map[string]any{"agentName": c.AgentName, "serverId": c.ServerID, "toolName": c.ToolName,
		"inputHash": c.InputHash, "runId": c.RunID,
		"toolCallId": c.ToolCallID, "sessionId": c.SessionID, "why": c.Why, "risk": c.Risk, "status": c.Status})
	if err != nil {
		panic(err)
	}
	return permission.Suspension{Call: c, PolicyVersion: version,
		Entries: []permission.Entry{{At: at, Kind: permission.CallCreated, Actor: "agent:" + string(c.AgentID), Data: data}}}
}

// encode gives the bytes that a log would keep of a call and its entry.
func encode(s permission.Suspension) []byte {
	call, err := json.Marshal(s.Call)
	if err != nil {
		panic(err)
	}
	return append(append(call, s.Entries[0].Data...), '\n')
}
