package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/process"
)

// How a server is asked to end: its input is closed, then it is told, then it is killed
// with all that it has started. All of it fits into Close's two seconds.
const (
	afterInput = 500 * time.Millisecond
	afterTerm  = 500 * time.Millisecond
	afterKill  = 300 * time.Millisecond // for what is left in its output
)

// child is the process of a server behind the desk, with all that it starts.
type child struct {
	cmd     *exec.Cmd
	tree    *process.Tree
	input   *os.File
	output  *os.File
	errors  *os.File
	lines   chan []byte   // to the writer
	quit    chan struct{} // closed when the process shall end
	stopped sync.Once
	readers sync.WaitGroup
	done    chan struct{} // closed when process, group and output have ended
	words   tail
}

// start starts a server. Each line of its output is heard, from one goroutine; one
// over limit bytes is dropped.
func start(server permission.Server, limit int, to Listener) (*child, error) {
	if _, err := os.Stat(server.Cwd); server.Cwd != "" && err != nil {
		return nil, fmt.Errorf("its folder: %w", err) // exec would blame the program
	}
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Dir, cmd.Env = server.Cwd, environment(os.Environ(), server.Env, server.Command)
	return run(cmd, veilOf(server), limit, to)
}

// Run starts a program that speaks as a server does, in its own folder and environment. secrets
// are hidden in its last words before one line of them is taken, and that is cut.
func Run(cmd *exec.Cmd, secrets Redactor, limit int, to Listener) (Server, error) {
	c, err := run(cmd, secrets.replacer(), limit, to)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func run(cmd *exec.Cmd, veil *strings.Replacer, limit int, to Listener) (*child, error) {
	c := &child{cmd: cmd, lines: make(chan []byte), quit: make(chan struct{}), done: make(chan struct{}), words: tail{veil: veil}}
	if err := c.launch(); err != nil {
		return nil, err
	}
	c.readers.Add(2)
	go func() {
		defer c.readers.Done()
		defer c.Stop() // one that speaks no more is of no use
		readLines(c.output, limit, func(line []byte) { to.Heard(line, Origin{}) }, func(head []byte) { to.Long(Origin{Head: head}) })
	}()
	go func() {
		defer c.readers.Done()
		io.Copy(&c.words, c.errors) // ends with the pipe, in whatever way
	}()
	go c.write()
	go c.supervise()
	return c, nil
}

// launch opens the pipes and starts the process. They are of our own making, since
// those of exec.Cmd are closed at the process's end, before the last line is read.
func (c *child) launch() error {
	var theirs [3]*os.File
	var err [3]error
	theirs[0], c.input, err[0] = os.Pipe()
	c.output, theirs[1], err[1] = os.Pipe()
	c.errors, theirs[2], err[2] = os.Pipe()
	failed := errors.Join(err[:]...)
	if failed == nil {
		c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1], theirs[2]
		c.tree, failed = process.Start(c.cmd)
	}
	for _, f := range theirs {
		f.Close()
	}
	if failed != nil {
		for _, f := range []*os.File{c.input, c.output, c.errors} {
			f.Close()
		}
	}
	return failed
}

// Send hands one line to the process. It waits while the process does not read.
func (c *child) Send(ctx context.Context, p Message) error {
	line := append(bytes.Clone(mcpwire.OneLine(p.Raw)), '\n')
	select {
	case <-c.quit:
		return ErrEnded
	default:
	}
	select {
	case c.lines <- line:
		return nil
	case <-c.quit:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *child) write() {
	for {
		select {
		case line := <-c.lines:
			if _, err := c.input.Write(line); err != nil {
				c.Stop()
				return
			}
		case <-c.quit:
			return
		}
	}
}

// Stop asks for the end and does not wait for it: done tells.
func (c *child) Stop() { c.stopped.Do(func() { close(c.quit) }) }

func (c *child) Over() <-chan struct{} { return c.done }
func (c *child) Last() string          { return c.words.telling() }
func (c *child) Said(limit int) string { return c.words.end(limit) }

// ExitOf says how the process of a server ended; "" where it is none.
func ExitOf(far Server) string {
	if c, ok := unwrapped(far).(*child); ok {
		return fmt.Sprintf(" (%s)", c.cmd.ProcessState)
	}
	return ""
}

// supervise sees the process to its end, and whatever it has started.
func (c *child) supervise() {
	exited := make(chan struct{})
	go func() {
		c.tree.Wait() // how it ended shows in its last words
		close(exited)
	}()
	select {
	case <-exited:
	case <-c.quit:
		c.input.Close()
		if !Closed(exited, afterInput) {
			c.tree.Terminate()
			Closed(exited, afterTerm)
		}
	}
	c.tree.Kill()
	<-exited
	c.input.Close()
	c.drain()
	c.Stop()
	close(c.done)
}

// drain lets the last output be read. Something that left the group can hold the
// pipes open for ever: it is not waited for.
func (c *child) drain() {
	read := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(read)
	}()
	Closed(read, afterKill)
	c.output.Close()
	c.errors.Close()
	<-read
}

// Closed waits for c, for at most d.
func Closed(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// readLines gives each line of r, without its end, in memory of its own; of one that is
// too long, its beginning.
func readLines(r io.Reader, limit int, line, long func([]byte)) {
	br := bufio.NewReaderSize(r, 64<<10)
	var buf, head []byte
	skipping := false
	for {
		part, err := br.ReadSlice('\n')
		if !skipping {
			buf = append(buf, part...)
		}
		if len(buf) > limit+1 {
			head, buf, skipping = mcpwire.HeadOf(buf), nil, true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch whole := bytes.TrimRight(buf, "\r\n"); {
		case skipping:
			long(head)
		case len(whole) > 0:
			line(whole)
		}
		buf, skipping = nil, false
		if err != nil {
			return
		}
	}
}

// inherited are the desk's own variables that a server may see: what it needs to
// find programs, files, its language, the network, the screen and this user's services.
// The desk's secrets are not among them.
var inherited = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "SHELL": true, "LANG": true, "LANGUAGE": true, "TZ": true,
	"TMPDIR": true, "TEMP": true, "TMP": true, "HTTP_PROXY": true, "HTTPS_PROXY": true, "NO_PROXY": true, "ALL_PROXY": true,
	"SSL_CERT_FILE": true, "SSL_CERT_DIR": true, "NODE_EXTRA_CA_CERTS": true,
	"DISPLAY": true, "WAYLAND_DISPLAY": true, "XAUTHORITY": true, "XDG_RUNTIME_DIR": true, "DBUS_SESSION_BUS_ADDRESS": true,
	"SSH_AUTH_SOCK": true, "DOCKER_HOST": true,
	"APPDATA": true, "LOCALAPPDATA": true, "PROGRAMDATA": true, "PROGRAMFILES": true, "SYSTEMROOT": true, "SYSTEMDRIVE": true,
	"USERPROFILE": true, "USERNAME": true, "HOMEDRIVE": true, "HOMEPATH": true, "PATHEXT": true, "COMSPEC": true, "WINDIR": true,
}

// environment is a small part of ours with the entry's own on top. The command's folder
// comes first in our PATH: a desk that was started from a menu has a short one, and what
// lies beside npx is the node that npx asks for.
func environment(ours []string, own map[string]string, command string) []string {
	var env []string
	for _, v := range ours {
		name, value, _ := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		if upper == "PATH" && filepath.IsAbs(command) && !slices.Contains(filepath.SplitList(value), filepath.Dir(command)) {
			v = name + "=" + filepath.Dir(command) + string(os.PathListSeparator) + value
		}
		if inherited[upper] || strings.HasPrefix(upper, "LC_") {
			env = append(env, v)
		}
	}
	for name, value := range own {
		env = append(env, name+"="+value)
	}
	return env
}

// tail keeps the last words of a server's standard error, and repeats none of its
// secrets. It is safe for use by many goroutines.
type tail struct {
	veil *strings.Replacer
	mu   sync.Mutex
	kept []byte
}

// maxWords bounds what is kept of standard error, in bytes.
const maxWords = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxWords):]...)
	if over := len(t.kept) - maxWords; over > 0 {
		t.kept = append([]byte(nil), t.kept[over:]...)
	}
	return len(p), nil
}

// end is the last that was said, at most limit bytes.
func (t *tail) end(limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := t.veil.Replace(string(t.kept))
	return strings.ToValidUTF8(said[max(0, len(said)-limit):], "?")
}

// last is the last line that says something, cut to what fits into a message.
func (t *tail) last() string {
	lines := t.lines()
	return cutLine(lines[len(lines)-1])
}

// maxLast is how many of a program's last lines are looked at for an error.
const maxLast = 30

// trouble is what lines of errors hold, and frame the beginning of a line of a stack.
var (
	trouble = regexp.MustCompile(`(?i)error|cannot|not found|exception|denied`)
	frame   = regexp.MustCompile(`^\s*at `)
)

// telling is the last line that speaks of an error, else the last: a program that fails may
// print its stack and its version below.
func (t *tail) telling() string {
	lines := t.lines()
	for _, line := range slices.Backward(lines[max(0, len(lines)-maxLast):]) {
		if trouble.MatchString(line) && !frame.MatchString(line) {
			return cutLine(line)
		}
	}
	return cutLine(lines[len(lines)-1])
}

// lines are those of what is kept, without empty ones at the end; there is always one.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Split(strings.TrimSpace(t.veil.Replace(string(t.kept))), "\n")
}

// cutLine is a line as it fits into a message.
func cutLine(line string) string {
	line = strings.TrimSpace(line)
	return strings.ToValidUTF8(line[:min(len(line), 300)], "?")
}
