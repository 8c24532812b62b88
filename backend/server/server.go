// Package server assembles one desk: a data folder, its store, the desk and its
// doors, opened and closed in order. Both mains use it.
package server

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"sekisho/backend"
	"sekisho/backend/attend"
	"sekisho/backend/builtin"
	"sekisho/backend/coordination"
	"sekisho/backend/database"
	"sekisho/backend/desk"
	"sekisho/backend/executors"
	"sekisho/backend/gateway"
	"sekisho/backend/insights"
	"sekisho/backend/journal"
	"sekisho/backend/journalkey"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/process"
	"sekisho/backend/rest"
	"sekisho/backend/restwire"
	"sekisho/backend/roles"
	"sekisho/backend/secret"
	"sekisho/backend/show"
	"sekisho/backend/signin"
	"sekisho/backend/sqlite"
	"sekisho/backend/upstream"
)

// ErrHeld says that another desk holds the data folder.
var ErrHeld = errors.New("another desk holds this data folder")

// ErrRemote refuses an address beyond loopback that nobody asked for.
var ErrRemote = errors.New(
	"this address can be reached from other machines: whoever has a token could then ask, and tokens would cross the network unencrypted; say --insecure-remote if you mean it")

// Config says what to open. Only Data and Listen are needed.
type Config struct {
	Data           string // the data folder; made when missing
	DeskFile       string // the folder of desk.json; "" is Data
	Listen         string // host:port; port 0 is any free one
	Address        string // host:port where the desk is reached, where that is not Listen; see package proof
	InsecureRemote bool
	Operator       *rest.Operator // nil: no credential exists that could decide
	Files          fs.FS          // the front end; nil serves none
	Patience       time.Duration  // of MCP callers; 0 is the gateway's own
	Unclaimed      time.Duration  // after which an approved call that no client claims expires; 0 is the projects' own
	Logger         *slog.Logger   // nil is slog.Default

	// JournalKey is the file of the key that the journal is signed with, or the folder of
	// such files, one for each journal, where it ends with a slash. "" signs nothing.
	JournalKey string
}

// Server is an open desk with its doors.
type Server struct {
	URL  string
	Desk *desk.Desk

	config    Config
	listener  net.Listener
	door      *rest.Handler
	gateway   *gateway.Gateway
	signIns   *signin.Book
	insights  *insights.Insights         // nil where nothing can be kept
	roles     *roles.Roles               // likewise
	executors *executors.Executors       // likewise
	work      *coordination.Coordination // likewise
	waits     builtin.Waits              // likewise
	folders   *workspaces
	clients   *clients
	log       *slog.Logger
	store     *sqlite.Store // nil when there is trouble from the start
	torn      string        // what may be missing since the last run
	trouble   string        // what is wrong with the disk or the data since the start
	deskFile  string
	closers   []func() error
	failed    chan error

	stopRetaining func()
	stopPausing   func()
	headroom      *strings.Builder // kept, see Headroom
}

// Open takes the folder and the address, opens what is in the folder, and listens. On an error nothing
// stays open. Data that are damaged, a folder that cannot be written to and a full disk are no error:
// the desk opens all the same, keeps nothing, lets nothing run, and says why. See Trouble.
func Open(ctx context.Context, c Config) (*Server, error) {
	s, err := Take(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.Open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Take takes the folder and the address of a desk, which takes no time, and opens neither: that
// another desk has one of them is known by then. Open it, or close it.
func Take(ctx context.Context, c Config) (*Server, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.DeskFile == "" {
		c.DeskFile = c.Data
	}
	s := &Server{config: c, deskFile: c.DeskFile, log: c.Logger, failed: make(chan error, 1), headroom: Headroom()}
	if err := s.each(ctx, s.check, s.hold, s.listen); err != nil {
		return nil, err
	}
	return s, nil
}

// Open opens what is in the folder that was taken, and the doors on its address.
func (s *Server) Open(ctx context.Context) error { return s.each(ctx, s.openDesk, s.serve) }

// each takes steps until one fails, after which nothing stays open.
func (s *Server) each(ctx context.Context, steps ...func(context.Context, Config) error) error {
	for _, step := range steps {
		if err := step(ctx, s.config); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return nil
}

// Close ends the doors, then the desk, then the store, and lets the folder go.
func (s *Server) Close() error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	s.closers = nil
	return err
}

// Failed tells of a door that broke while open.
func (s *Server) Failed() <-chan error { return s.failed }

func (s *Server) closing(f func() error) { s.closers = append(s.closers, f) }

// check refuses data of a newer format before anything in the folder is touched.
func (s *Server) check(ctx context.Context, c Config) error {
	if err := database.CheckFormat(ctx, c.Data); err != nil {
		return fmt.Errorf("open data folder %s: %w", c.Data, err)
	}
	return nil
}

// hold takes the folder's lock, which the system lets go when the process ends
// in whatever way. A folder where no lock can be made is not used: two desks that
// keep nothing do not get in each other's way.
func (s *Server) hold(_ context.Context, c Config) error {
	if err := enclose(c.Data, c.Logger); err != nil {
		return s.doubt(c, fmt.Errorf("open data folder: %w", err))
	}
	lock := flock.New(filepath.Join(c.Data, lockName), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return s.doubt(c, fmt.Errorf("lock data folder: %w", err))
	}
	if !held {
		return fmt.Errorf("%w: %s", ErrHeld, c.Data)
	}
	s.closing(lock.Unlock)
	return nil
}

// lockName is the file that a running desk has locked.
const lockName = "desk.lock"

// enclose makes the folder, or makes it private if it is empty or a desk's already.
// The mode of one that holds other things is its owner's business: the files in it
// are private all the same.
func enclose(dir string, log *slog.Logger) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ours := func(e fs.DirEntry) bool { return e.Name() == database.FileName || e.Name() == lockName }
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o200 == 0 {
		return nil // somebody made it read-only, and it stays so
	}
	if len(entries) == 0 || slices.ContainsFunc(entries, ours) {
		return place.Private(dir)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o077 != 0 {
		log.Warn("the data folder holds other things and others may enter it", "folder", dir)
	}
	return nil
}

// doubt takes an error that lies in the disk or the data as the desk's trouble. Any
// other is given back.
func (s *Server) doubt(c Config, err error) error {
	words, ok := database.Trouble(err)
	if !ok {
		return err
	}
	s.trouble = database.CannotKeep(words).Message
	c.Logger.Error("the desk starts in trouble", "trouble", s.trouble, "err", err)
	return nil
}

// Trouble says what is wrong with the disk or the data, and what that means, or "".
func (s *Server) Trouble() string {
	if words := s.Desk.Policy.Trouble(); words != "" || s.store == nil {
		return words
	}
	return cmp.Or(s.store.Damage(), s.torn)
}

// openDesk opens the desk over its data or, when they cannot be used, over nothing.
func (s *Server) openDesk(ctx context.Context, c Config) error {
	if s.trouble == "" {
		err := s.openData(ctx, c)
		if err == nil || s.doubt(c, err) != nil {
			return err
		}
	}
	s.roles, s.executors = nil, nil
	nothing := newStandIn(s.trouble)
	err := s.over(ctx, c, nil, nothing.stores())
	nothing.open.Store(true)
	return err
}

func (s *Server) openData(ctx context.Context, c Config) error {
	store, err := sqlite.Open(ctx, c.Data)
	if err != nil {
		return err
	}
	s.sign(ctx, c, store)
	secrets := secret.New(c.Data)
	s.openRoles(ctx, c, store, store.Now)
	s.executors = executors.New(ctx, store, store.Now, c.Logger)
	if err := s.over(ctx, c, secrets, keptIn(store)); err != nil {
		return errors.Join(err, store.Close())
	}
	if err := s.holdTorn(ctx, c, store.Torn()); err != nil {
		return errors.Join(err, store.Close())
	}
	s.sayDisputed(c, store)
	s.signIns = signin.New(secrets, signin.Options{Journal: s.Desk.Journal, Logger: c.Logger})
	s.store, s.stopRetaining = store, retaining(s.Desk, c.Logger)
	store.OnTrouble(func() { s.Desk.Journal.Tell(permission.Event{Kind: troubleMoved}) })
	s.openWork(store)
	s.insights = insights.New(store, s.Desk.Policy, s.Desk.Calls.Now)
	s.stopPausing = pausing(s.insights, c.Logger)
	return nil
}

// holdTorn holds everything where what the desk did last may be missing, a deny rule too:
// a person has to look before anything is allowed again.
func (s *Server) holdTorn(ctx context.Context, c Config, copied string) error {
	if copied == "" {
		return nil
	}
	s.torn = "the log of the last run breaks off before its end: what was changed last may be missing. It was kept as " + copied +
		", and everything was held for you to look first"
	c.Logger.Error("the log is torn", "trouble", s.torn)
	return s.Desk.Policy.Hold(ctx, true)
}

// sign lets the journal be signed. A key that cannot be had is said, and no reason to stay
// closed.
func (s *Server) sign(ctx context.Context, c Config, store *sqlite.Store) {
	path := c.JournalKey
	if path == "" {
		return
	}
	if store.JournalName() == "" {
		c.Logger.Warn("the journal is not signed: its name is lost")
		return
	}
	if strings.HasSuffix(path, "/") {
		path = filepath.Join(path, store.JournalName()+journalkey.Suffix)
	}
	key, fresh, err := journalkey.Open(path)
	if fresh {
		c.Logger.Info("a key was made for the journal; what another key has signed before, if any, is taken as it stands", "file", path)
	}
	var unsigned journal.Range
	if err == nil {
		unsigned, err = store.SignWith(ctx, key, fresh)
	}
	if err == nil && fresh {
		err = journalkey.Keep(path)
	}
	if err != nil {
		c.Logger.Warn("the journal is not signed: its key cannot be had", "file", path, "err", err)
		return
	}
	if unsigned.Last > 0 {
		c.Logger.Warn("the last entries of the journal were not signed, as where a desk was killed: they are signed now as they stand", "first",
			unsigned.First, "last", unsigned.Last)
	}
	c.Logger.Info("the journal is signed", "key", permission.PublicKey(key.Public().(ed25519.PublicKey)), "file", path)
}

// sayDisputed names each row that is not as the journal says, at most 100, and what else is
// not as it was left.
func (s *Server) sayDisputed(c Config, store *sqlite.Store) {
	list := store.Differences()
	for _, d := range list[:min(len(list), 100)] {
		c.Logger.Error("not as the journal says that it was left", "set", d.Set, "key", d.Key, "journal", string(d.Journal), "table",
			string(d.Table))
	}
	if words := store.Damage(); words != "" {
		c.Logger.Error("something is damaged", "trouble", words)
	}
	if words := store.Ahead(); words != "" {
		c.Logger.Warn("the time is not believed", "trouble", words)
	}
	if words := store.Disputed(); words != "" {
		c.Logger.Error("everything asks", "trouble", words)
	}
}

// over opens the desk over a store, and over secrets where there are any to keep.
func (s *Server) over(ctx context.Context, c Config, secrets desk.SecretStore, stores desk.Stores) (err error) {
	s.folders = newWorkspaces(program, c.Logger, c.Data, c.DeskFile, place.Runtime(c.Data))
	s.closing(s.folders.close)
	s.Desk, err = desk.Open(ctx, stores, desk.Options{
		Logger:      c.Logger,
		Secrets:     secrets,
		Dismissed:   s.dismissed,
		Reinstalled: s.reinstalled,
		Standings:   s.standings(),
		Workspaces:  s.folders,
	})
	if err == nil {
		s.closing(s.closeDesk)
	}
	return err
}

// dismissed ends what an agent has that was removed.
func (s *Server) dismissed(id permission.AgentID) {
	if s.roles != nil {
		s.roles.Forget(id)
	}
	s.gateway.Dismiss(id)
}

// reinstalled ends what is connected, or signed in, to servers as they were.
func (s *Server) reinstalled(servers []permission.Server) {
	if s.signIns != nil {
		s.signIns.Keep(servers)
	}
	s.folders.tryAll(servers)
	s.gateway.Reinstall(servers)
}

// closeDesk ends the desk, then the store.
func (s *Server) closeDesk() error {
	if s.stopPausing != nil {
		s.stopPausing()
	}
	if s.stopRetaining != nil {
		s.stopRetaining()
	}
	if s.signIns != nil {
		s.signIns.Close()
	}
	s.Desk.Close()
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}

// listen takes the address. Who asks there waits until the doors are open.
func (s *Server) listen(_ context.Context, c Config) (err error) {
	if err := local(c); err != nil {
		return err
	}
	if s.listener, s.URL, err = bind(c.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.closing(func() error {
		_ = s.listener.Close() // an open door has closed it
		return nil
	})
	return nil
}

// serve opens the doors.
func (s *Server) serve(ctx context.Context, c Config) error {
	d := agentsDesk{userCalls{s.Desk.Calls, s.Desk.Catalogue}, s.Desk.Policy, s.Desk.Catalogue, s.roles}
	hooks := s.newHooks(c)
	habits, seen := s.habits(ctx, c)
	came := &arrivals{tell: func() { s.Desk.Journal.Tell(permission.Event{Kind: agentArrived}) }}
	workspaces := s.newProjects(c, d.Usable)
	s.gateway = gateway.New(d, arriving{d, hooks.Arrived}, gateway.Options{
		AgentFrom: restwire.AgentFrom, Admit: restwire.AdmitFrom, InputMembers: s.Desk.Policy.InputMembers,
		Patience: c.Patience, Habits: habits, Seen: seen, Logger: c.Logger, Met: came.note,
		Moved:        func() { s.Desk.Journal.Tell(permission.Event{Kind: serverMoved}) },
		Coordination: s.worker(), Waits: s.waits, Launch: s.folders.Launch, Clients: workspaces,
	})
	if all, err := d.Servers(ctx); err == nil {
		s.folders.tryAll(all)
	}
	work, err := s.workSwitch(ctx)
	if err != nil {
		return err
	}
	var signIns rest.SignIns // none, where nothing can be kept
	if s.signIns != nil {
		signIns = s.signIns
		s.gateway.SignWith(s.signIns)
	}
	s.clients = newClients(s.Desk, s.URL, came)
	s.door = rest.New(restDesk(s.Desk, s.roles, s.executors, s.gateway.TablesChanged), rest.Options{
		SignIns: signIns, Projects: workspaces, Executors: s.executors,
		Version: backend.Version, Operator: c.Operator, Gateway: s.gateway, Hooks: hooks, Files: c.Files,
		ServerState: s.ServerState, Confinement: s.folders.Confinement, TestServer: s.gateway.Try,
		Look:      show.New(d, show.Options{Remote: c.InsecureRemote, Confinement: s.folders.Confinement}).Look,
		Connected: s.gateway.OpenSessions, Connections: s.clients,
		History: newHistory(s.Desk), Insights: s.insights, Roles: s.roles, Work: s.work, WorkSwitch: work,
		Trouble:      s.Trouble,
		InputMembers: s.Desk.Policy.InputMembers, Now: func() time.Time {
			return s.Desk.Calls.Now().Std()
		}, Address: c.Address, EndsChildren: process.Supervises(),
		Inherited: upstream.Inherited(os.Environ()), AllowRemote: c.InsecureRemote, Logger: c.Logger,
	})
	if s.roles != nil {
		stop := s.expiring()
		s.closing(func() error { stop(); return nil })
	}
	web := s.door.Server()
	go func() {
		if err := web.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("listen on %s: %w", c.Listen, err)
		}
	}()
	s.closing(func() error {
		s.door.Close()
		workspaces.Close()
		hooks.Close()
		return errors.Join(s.gateway.Close(), shutdown(web))
	})
	return s.announce(c)
}

// ListAhead begins to list the user's clients. Where one of them starts servers, the user's shell is asked for its
// environment once, and that may take a second.
func (s *Server) ListAhead() {
	go func() {
		defer func() {
			if reason := recover(); reason != nil { // on somebody's file: who asks later is told
				s.log.Error("list clients ahead", "panic", reason)
			}
		}()
		_, _ = s.clients.Clients(context.Background(), rest.ClientChoice{})
	}()
}

// habits are what was seen of how long clients wait, and where that is kept; nothing where
// there is trouble. Without it clients are only told PENDING sooner.
func (s *Server) habits(ctx context.Context, c Config) (attend.Habits, []permission.ClientHabit) {
	if s.store == nil {
		return nil, nil
	}
	seen, err := s.store.ClientHabits(ctx)
	if err != nil {
		c.Logger.Error("read how long clients wait", "error", err)
	}
	return s.store, seen
}

// bind listens on an address, and gives the URL of it for clients on this machine: that
// of loopback, where it listens on all.
func bind(address string) (l net.Listener, url string, err error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, "", err
	}
	if l, err = net.Listen(network(host), address); err != nil {
		return nil, "", err
	}
	at, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return l, "http://" + netip.AddrPortFrom(reachable(at.Addr(), host), at.Port()).String(), nil
}

// network is that of an address's own family: Go would listen on IPv6 for 0.0.0.0 too. A
// name, or none, is of both.
func network(host string) string {
	switch ip, err := netip.ParseAddr(host); {
	case err != nil:
		return "tcp"
	case ip.Unmap().Is4():
		return "tcp4"
	}
	return "tcp6"
}

// reachable is where a client on this machine finds what listens at ip for a host.
func reachable(ip netip.Addr, host string) netip.Addr {
	switch {
	case !ip.IsUnspecified():
		return ip
	case network(host) == "tcp6":
		return netip.IPv6Loopback()
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// announce leaves the address where programs look for it; not in a data folder that
// is in trouble, of which nothing changes. It is in the data folder in any case: many
// clients start their servers without the variable that leads to the other one.
func (s *Server) announce(c Config) error {
	for _, dir := range slices.Compact([]string{s.deskFile, c.Data}) {
		if s.trouble != "" && dir == c.Data {
			continue
		}
		if err := s.leaveAddress(c, dir); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) leaveAddress(c Config, dir string) error {
	s.closing(func() error { return place.RemoveDesk(dir, os.Getpid()) })
	err := place.WriteDesk(dir, place.Desk{URL: s.URL, PID: os.Getpid(), Version: backend.Version})
	if _, ok := database.Trouble(err); ok {
		c.Logger.Warn("programs have to be told where the desk is", "url", s.URL, "err", err)
		return nil
	}
	return err
}

func shutdown(web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if web.Shutdown(ctx) != nil {
		return web.Close()
	}
	return nil
}

// local refuses an address beyond loopback unless it was asked for.
func local(c Config) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if ip := net.ParseIP(host); c.InsecureRemote || host == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("listen on %s: %w", c.Listen, ErrRemote)
}

// Window serves the rows of a person to a page in this process; see rest.Handler.
func (s *Server) Window() http.Handler { return s.door.Window() }

// Connected counts the agents that are connected over MCP.
func (s *Server) Connected() int { return s.gateway.Connected() }

// ServerState says how a server behind the desk does, and which tools it was
// last seen to offer.
func (s *Server) ServerState(of permission.Server) (state string, tools []string) {
	if !of.Enabled {
		return string(permission.ServerDisabled), s.gateway.Tools(of.ID)
	}
	if of.Lacks != "" {
		return string(permission.ServerFailed), s.gateway.Tools(of.ID)
	}
	return string(s.gateway.State(of.ID)), s.gateway.Tools(of.ID)
}
