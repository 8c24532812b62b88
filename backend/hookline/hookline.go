// Package hookline is the program that an agent's client starts for each event of its hooks:
// it hands the event to the desk, and exits as the desk says.
//
// It fails closed. Only a desk that has proved itself and answered 200, with a body that says
// exit 0, lets it exit with 0. All else is exit code 2, which clients take for a no, with the
// reason on stderr: some take exit code 1, or 2 without a reason, for a yes.
//
// It is started for every tool call, and writes its two requests itself: what net/http does
// before main takes longer than the question.
package hookline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"sekisho/backend/place"
	"sekisho/backend/rawjson"
)

// Options of one run. Client is needed.
type Options struct {
	Client    string // as the desk's path names it
	Defer     string // seconds after which a client without a person asks again later; "" is never
	Desk      string // the desk's URL; "" is $SEKISHO_URL, else that of the running desk
	TokenFile string // "" is the token of Agent, else $SEKISHO_TOKEN, else of the agent that connect made
	Agent     string

	// TLS dials a desk with an https URL; nil refuses it.
	TLS func(address string) (net.Conn, error)

	Stop <-chan struct{} // the program is to end; nil is never

	Found    time.Duration // for the desk to be found and to prove itself; 0 is 2 s
	Deadline time.Duration // for the answer; 0 is 650 s: clients wait 660 s, and the desk answers within 640 s
}

// maxEvent bounds an event, in bytes.
const maxEvent = 32 << 20

// Run takes the event from in, and gives the exit code. What it prints stands in full when it
// returns 0.
func Run(o Options, in io.Reader, out, errs io.Writer) (code int) {
	if o.Found == 0 {
		o.Found = 2 * time.Second
	}
	if o.Deadline == 0 {
		o.Deadline = 650 * time.Second
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that has gone is an error of the write: death by a signal is no exit code
	var once sync.Once
	ended := make(chan int, 1)
	end := func(code int, stdout, stderr string) {
		once.Do(func() { ended <- printed(code, stdout, stderr, out, errs) })
	}
	refuse := func(reason string) { end(2, o.denial(reason), reason) }
	timer := time.AfterFunc(o.Deadline, func() { refuse("Sekisho did not answer in time: the call was not allowed.") })
	defer timer.Stop()
	go unheard(func() { refuse("Sekisho: nobody reads the answer any more. The call was not allowed.") }, out, errs)
	go func() {
		answer, err := o.ask(in)
		if err != nil {
			refuse("Sekisho: " + err.Error() + ". The call was not allowed.")
			return
		}
		end(*answer.Exit, *answer.Stdout, *answer.Stderr)
	}()
	select {
	case code := <-ended:
		return code
	case <-o.Stop:
		refuse("Sekisho: the hook was ended before an answer came. The call was not allowed.")
		return <-ended
	}
}

// denial is what stands on stdout beside a no of the program's own: Copilot CLI tells its model
// nothing of stderr, and reads the reason in the shape of its event preToolUse.
func (o *Options) denial(reason string) string {
	if o.Client != "copilot" {
		return ""
	}
	raw, err := json.Marshal(struct {
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}{"deny", reason})
	if err != nil {
		return ""
	}
	return string(raw)
}

// printed prints an answer, and gives its exit code: 2 for all that is not 0. A no has JSON on
// stdout too where the client passes on nothing else.
func printed(code int, stdout, stderr string, out, errs io.Writer) int {
	if code == 0 {
		if _, err := io.WriteString(out, stdout); err == nil {
			_, _ = io.WriteString(errs, stderr)
			return 0
		}
		stdout, stderr = "", "Sekisho: the answer could not be printed. The call was not allowed."
	}
	if stderr = strings.TrimSpace(stderr); stderr == "" {
		stderr = "Sekisho did not allow this, and gave no reason."
	}
	_, _ = io.WriteString(out, stdout)
	_, _ = io.WriteString(errs, stderr+"\n")
	return 2
}

// answer is what the desk says; a member that is missing makes it none.
type answer struct {
	Exit   *int    `json:"exit"`
	Stdout *string `json:"stdout"`
	Stderr *string `json:"stderr"`
}

func (o *Options) ask(in io.Reader) (a answer, err error) {
	event, err := io.ReadAll(io.LimitReader(in, maxEvent+1))
	switch {
	case err != nil:
		return a, fmt.Errorf("the event could not be read: %w", err)
	case len(event) > maxEvent:
		return a, errors.New("the event is over 32 MiB")
	}
	token, err := o.token()
	if err != nil {
		return a, err
	}
	to, err := o.url()
	if err != nil {
		return a, err
	}
	c, err := o.connect(to, token)
	if err != nil {
		return a, err
	}
	defer c.conn.Close()
	path := strings.TrimRight(to.Path, "/") + "/v1/hooks/" + url.PathEscape(o.Client)
	if o.Defer != "" {
		path += "?defer=" + url.QueryEscape(o.Defer)
	}
	status, body, err := c.post(path, token, event)
	switch {
	case err != nil:
		return a, fmt.Errorf("the desk did not answer: %w", err)
	case status != 200:
		return a, fmt.Errorf("the desk answered %d%s", status, detail(body))
	}
	return read(body)
}

// read reads the desk's answer strictly: each member once, by its very name.
func read(body []byte) (a answer, err error) {
	members, err := rawjson.Members(body)
	for name, value := range rawjson.Values(members) {
		switch name {
		case "exit":
			err = errors.Join(err, json.Unmarshal(value, &a.Exit))
		case "stdout":
			err = errors.Join(err, json.Unmarshal(value, &a.Stdout))
		case "stderr":
			err = errors.Join(err, json.Unmarshal(value, &a.Stderr))
		default:
			err = errUnread
		}
	}
	if err != nil || a.Exit == nil || a.Stdout == nil || a.Stderr == nil {
		return a, errUnread
	}
	return a, nil
}

var errUnread = errors.New("the desk's answer could not be read")

// detail is what an error of the desk says.
func detail(body []byte) string {
	var p struct{ Detail string }
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		return ""
	}
	return ": " + p.Detail
}

// url finds the desk.
func (o *Options) url() (*url.URL, error) {
	at := o.Desk
	if at == "" {
		at = os.Getenv("SEKISHO_URL")
	}
	if at == "" {
		d, err := place.FindDesk()
		if err != nil {
			return nil, errors.New("the desk is not running: start it, or say where it is with --desk URL")
		}
		at = d.URL
	}
	to, err := url.Parse(at)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, errors.New(strconv.Quote(at) + " is no URL of a desk")
	}
	return to, nil
}

// agents are those that connect makes for clients, where they have another name.
var agents = map[string]string{"claude": "claude-code"}

// token finds the token.
func (o *Options) token() (string, error) {
	if env := strings.TrimSpace(os.Getenv("SEKISHO_TOKEN")); o.TokenFile == "" && o.Agent == "" && env != "" {
		return env, nil
	}
	return ReadToken(o.Client, o.TokenFile, o.Agent)
}

// ReadToken reads the token that a hook of a client has: that of a file, else of an agent, else
// of the agent that connect made for the client.
func ReadToken(client, file, agent string) (string, error) {
	if file == "" {
		if agent == "" {
			agent = client
			if name, ok := agents[agent]; ok {
				agent = name
			}
		}
		var err error
		if file, err = place.TokenFile(agent); err != nil {
			return "", err
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("there is no token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", errors.New(file + " holds no token")
	}
	return token, nil
}
