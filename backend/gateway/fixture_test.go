package gateway_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtureEnv makes the test binary be the scripted server behind the desk.
const fixtureEnv = "GATEWAY_FIXTURE_LOG"

// toolsEnv gives it another answer to tools/list.
const toolsEnv = "GATEWAY_FIXTURE_TOOLS"

func TestMain(m *testing.M) {
	if path := os.Getenv(fixtureEnv); path != "" {
		serveFixture(path)
		return
	}
	if part := os.Getenv(playEnv); part != "" {
		servePart(part)
		return
	}
	if versions := os.Getenv(eraEnv); versions != "" {
		newEraServer(versions).Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	if os.Getenv(sdkEnv) != "" {
		serveSDK()
		return
	}
	os.Exit(m.Run())
}

// What the fixture says, in spellings that a decoding relay would lose.
const (
	fixtureInit     = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"fixture","version":"1"},"x-vendor":{"big":9007199254740993, "n":1.0}}`
	fixtureDiscover = `{"resultType":"complete","supportedVersions":["2026-07-28","2025-06-18"],"capabilities":{"tools":{"listChanged":true},"logging":{}},"ttlMs":0,"cacheScope":"private"}`
	fixtureList     = `{"tools":[{"name":"echo","inputSchema":{"type":"object"},"x-b":1e2,"x-a":null},{"name":"die","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}]}`
	// The same, and the tools of which a list says no more than their names.
	fixtureAll = `{"tools":[{"name":"echo","inputSchema":{"type":"object"},"x-b":1e2,"x-a":null},{"name":"die","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}},` +
		`{"name":"ask"},{"name":"asklater"},{"name":"chatterbox"},{"name":"deaf"},{"name":"deluge"},{"name":"error"},{"name":"fail"},{"name":"flood"},{"name":"garbage"},{"name":"later"},{"name":"lineends"},{"name":"log"},{"name":"long"},{"name":"longnote"},{"name":"oddask"},{"name":"oldfashioned"},{"name":"parting"},{"name":"patient"},{"name":"spawn"},{"name":"stubborn"},{"name":"swan"},{"name":"torrent"},{"name":"write"},{"name":"run"},{"name":"rm"},{"name":"read"},{"name":"first"},{"name":"second"},{"name":"other"},{"name":"asked"},{"name":"list"}]}`
	fixtureEcho    = `{"content":[{"type":"x-unknown","b":1,"a":12345678901234567890}], "structuredContent":{"lone":"\ud83d","slash":"\/"},"_meta":{}}`
	fixtureChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	fixtureBad     = `{"code":-32099,"message":"no \u0041","data":{"z":1,"a":2}}`
)

type fixture struct {
	log *os.File
	in  *bufio.Reader
}

type fixtureMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	Result json.RawMessage
}

// serveFixture logs every line that it gets, and plays what the tool's name says.
func serveFixture(path string) {
	log, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	f := fixture{log: log, in: bufio.NewReader(os.Stdin)}
	fmt.Fprintf(log, "pid %d\n", os.Getpid())
	for {
		m, ok := f.next()
		if !ok {
			return
		}
		switch m.Method {
		case "initialize":
			f.result(m, fixtureInit)
		case "server/discover":
			f.result(m, fixtureDiscover)
		case "tools/list":
			f.result(m, cmp.Or(os.Getenv(toolsEnv), fixtureAll))
		case "tools/call":
			f.call(m)
		case "":
		default:
			if m.ID != nil {
				f.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID)
			}
		}
	}
}

func (f *fixture) next() (m fixtureMessage, ok bool) {
	line, err := f.in.ReadBytes('\n')
	if err != nil {
		return m, false
	}
	f.log.Write(line)
	return m, json.Unmarshal(line, &m) == nil
}

func (f *fixture) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (f *fixture) result(m fixtureMessage, result string) {
	f.say(`{"jsonrpc":"2.0", "result":%s ,"id":%s}`, result, m.ID)
}

func (f *fixture) call(m fixtureMessage) {
	switch m.Params.Name {
	case "die":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "fail":
		f.result(m, `{"content":[],"isError":true}`)
	case "error":
		f.say(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, fixtureBad)
	case "log":
		f.chatter(m, 3)
		f.result(m, fixtureEcho)
	case "flood":
		f.chatter(m, 2000)
		f.result(m, fixtureEcho)
	case "garbage":
		f.say("Listening on stdio...")
		f.say(`{"jsonrpc":"2.0","id":%s,"id":%s,"result":{}}`, m.ID, m.ID)
		f.say(`["not","an","object"]`)
		f.result(m, fixtureEcho)
	case "oldfashioned":
		f.say(`{"id":%s,"result":{}}`, m.ID)
	case "long":
		f.say(`{"jsonrpc":"2.0","id":%s,"result":{"x":"%s"}}`, m.ID, bytes.Repeat([]byte("x"), 2<<20))
	case "deluge":
		for range 64 {
			f.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`, bytes.Repeat([]byte("x"), 1<<20))
		}
		f.result(m, fixtureEcho)
	case "parting": // says something with its answer
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		f.say("%s\n%s", answer, fixtureChanged)
	case "swan": // dies with its answer
		f.chatter(m, 10)
		f.result(m, fixtureEcho)
		os.Exit(0)
	case "lineends":
		f.say("{\"jsonrpc\":\"2.0\",\r\"method\":\"notifications/message\"}\r")
		f.result(m, fixtureEcho)
	case "ask":
		f.say(`{"jsonrpc":"2.0","id":"srv-1","method":"roots/list","params":{"n":1.0}}`)
		answer, _ := f.next()
		f.result(m, string(answer.Result))
	case "asklater": // asks when a notification comes, after it has read all before
		for note := m; note.ID != nil; {
			note, _ = f.next()
		}
		f.say(`{"jsonrpc":"2.0","id":"srv-1","method":"roots/list","params":{"n":1.0}}`)
		answer, _ := f.next()
		f.result(m, string(answer.Result))
	case "oddask": // asks under its caller's id, and not quite as it should
		f.say(`{"id":%s,"method":"roots/list"}`, m.ID)
		f.result(m, fixtureEcho)
	case "longnote": // with two that wait for their answers
		other, _ := f.next()
		f.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`, bytes.Repeat([]byte("x"), 2<<20))
		f.result(m, fixtureEcho)
		f.result(other, fixtureEcho)
	case "chatterbox": // does not read until it is told to
		for {
			if _, err := os.Stat(f.log.Name() + ".enough"); err == nil {
				break
			}
			f.chatter(m, 1)
		}
		f.result(m, fixtureEcho)
	case "torrent":
		for range 400 {
			f.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`, bytes.Repeat([]byte("x"), 64<<10))
		}
		f.result(m, fixtureEcho)
	case "patient": // answers when it is cancelled
		f.next()
		f.result(m, fixtureEcho)
	case "deaf":
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		f.chatter(m, 1)
		time.Sleep(time.Minute)
	case "spawn":
		grandchild := exec.Command("sleep", "1000")
		grandchild.Start()
		f.result(m, strconv.Itoa(grandchild.Process.Pid))
	case "later":
		f.result(m, fixtureEcho)
		time.Sleep(50 * time.Millisecond)
		f.say(fixtureChanged)
	default:
		f.result(m, fixtureEcho)
	}
}

// chatter reports progress from 0 where it was asked for, with a log line each.
func (f *fixture) chatter(m fixtureMessage, n int) {
	for i := range n {
		if token := m.Params.Meta.ProgressToken; token != nil {
			f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"total":3.0,"progressToken":%s,"x":1e2}}`, i, token)
		}
		f.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i)
	}
}
