package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/operatorkey"
	"sekisho/backend/place"
)

const serviceHelp = `Run the desk as a service of this user, with systemd.

"install" makes the operator's token, a key that decides, and prints it once, at the
terminal. It is kept nowhere: put it into your password manager. The service is given the
public half alone, with which nobody can decide. Commands that decide ask for the token
at the terminal, and sign with it: it is not sent to any desk.

"uninstall" ends the service and removes what install has written. The desk's data stay.`

// serviceName is that of the unit; one of a package has it too, and the user's goes first.
const serviceName = "sekishod.service"

func newServiceCommand() *cobra.Command {
	c := &cobra.Command{Use: "service", Short: "Run the desk as a service of this user, or stop that", Long: serviceHelp}
	listen := ""
	install := &cobra.Command{
		Use: "install", Short: "Install and start the service, and print the operator's token once", Long: serviceHelp, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := findService()
			if err != nil {
				return err
			}
			return s.install(c.Context(), listen)
		},
	}
	install.Flags().StringVar(&listen, "listen", "127.0.0.1:7360", "address to listen on, of this machine alone")
	uninstall := &cobra.Command{
		Use: "uninstall", Short: "End the service and remove it; the desk's data stay", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := findService()
			if err == nil {
				err = s.uninstall(c.Context())
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "The service is removed. The desk's data stay; agents that ask it are refused until a desk runs again (\"sekisho disconnect\" puts their clients back).")
			return err
		},
	}
	c.AddCommand(install, uninstall)
	return c
}

// service is where what install writes lies.
type service struct {
	systemctl string
	unit      string // the file of the unit
	key       string // that of the public half of the operator's key
}

func findService() (s service, err error) {
	if s.systemctl, err = exec.LookPath("systemctl"); err != nil {
		return s, errors.New("there is no systemd here: start sekishod with what starts programs on this system, as \"sekishod --help\" says")
	}
	dir, err := place.Config()
	if err != nil {
		return s, err
	}
	s.key = filepath.Join(dir, "operator.pub")
	s.unit = filepath.Join(filepath.Dir(dir), "systemd", "user", serviceName)
	return s, nil
}

func (s service) install(ctx context.Context, listen string) error {
	in, out, err := controlling()
	if err != nil {
		return errors.New("nothing was installed: the operator's token is printed once, at a terminal, and there is none; run this at one")
	}
	defer in.Close()
	defer out.Close()
	switch own, err := s.own(); {
	case own:
		return fmt.Errorf("nothing was installed: %s is there already; for a new token, say \"sekisho service uninstall\" first", s.unit)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("nothing was installed: %s is there already, and this command has not written it", s.unit)
	}
	if d, err := place.FindDesk(); err == nil {
		return fmt.Errorf("nothing was installed: a desk runs already at %s and holds the data; end it first (the window's: quit it)", d.URL)
	}
	program, err := besideThis("sekishod")
	if err != nil {
		return err
	}
	key := operatorkey.New()
	unit := unitText(program, listen, s.key)
	if err := s.write(unit, key.Public()); err != nil {
		return errors.Join(fmt.Errorf("nothing was installed: %w", err), s.remove())
	}
	url, err := s.start(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("nothing was installed: %w", err), s.uninstall(context.WithoutCancel(ctx)))
	}
	_, err = fmt.Fprintf(out, "The desk runs at %s, and will with each of your sessions.\n\n"+
		"The operator's token, which decides. It is shown this once and kept nowhere: put it into your\n"+
		"password manager, and nowhere that an agent can read.\n\n  %s\n\n"+
		"Next: \"sekisho connect\" puts your agents' tools behind the desk; \"sekisho watch\" answers their calls.\n", url, key.Printed())
	if err != nil {
		return errors.Join(fmt.Errorf("nothing was installed: the token could not be shown: %w", err), s.uninstall(context.WithoutCancel(ctx)))
	}
	return nil
}

// besideThis finds a program beside this one, or by PATH.
func besideThis(name string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	beside := filepath.Join(filepath.Dir(own), name)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("nothing was installed: %s is neither beside %s nor in PATH", name, own)
	}
	return filepath.Abs(found)
}

func (s service) write(unit string, public operatorkey.Public) error {
	for _, dir := range []string{filepath.Dir(s.unit), filepath.Dir(s.key)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return errors.Join(place.WriteSecret(s.key, []byte(public.String()+"\n")), place.WriteSecret(s.unit, []byte(unit)))
}

// startWithin is how long the desk may take until it answers.
const startWithin = 20 * time.Second

// start starts the service, and waits until it answers at a URL or has failed.
func (s service) start(ctx context.Context) (url string, err error) {
	for _, args := range [][]string{{"daemon-reload"}, {"enable", "--now", serviceName}} {
		if err := s.ctl(ctx, args...); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		d, err := place.FindDesk()
		if err == nil {
			_, err = healthOf(ctx, d.URL)
		}
		if err == nil {
			return d.URL, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return "", fmt.Errorf("the service does not answer: \"systemctl --user status %s\" says why", serviceName)
		}
	}
}

func (s service) ctl(ctx context.Context, args ...string) error {
	said, err := exec.CommandContext(ctx, s.systemctl, append([]string{"--user"}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("systemctl --user %s: %w: %s", strings.Join(args, " "), err, Visible(strings.TrimSpace(string(said))))
	}
	return nil
}

func (s service) uninstall(ctx context.Context) error {
	switch own, err := s.own(); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s: \"sekisho service install\" has installed nothing here", s.unit)
	case !own:
		return fmt.Errorf("nothing was removed: \"sekisho service install\" has not written %s", s.unit)
	}
	err := s.ctl(ctx, "disable", "--now", serviceName)
	if err := s.remove(); err != nil {
		return fmt.Errorf("remove the service: %w", err)
	}
	return errors.Join(err, s.ctl(ctx, "daemon-reload"))
}

// own reports whether install has written the unit that is there.
func (s service) own() (bool, error) {
	raw, err := os.ReadFile(s.unit)
	return strings.HasPrefix(string(raw), unitMark), err
}

func (s service) remove() error {
	var all error
	for _, file := range []string{s.unit, s.key} {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// unitMark is how a unit of install begins.
const unitMark = "# Written by sekisho service install.\n"

// unitText is the unit. What sekishod says on standard output is thrown away, so that no
// journal keeps it.
func unitText(program, listen, key string) string {
	return unitMark +
		"[Unit]\nDescription=Sekisho, the permission desk between AI agents and their tools\n\n" +
		"[Service]\nExecStart=" + unitWord(program) + " --listen " + unitWord(listen) + " --operator-key-file " + unitWord(key) + "\n" +
		"StandardOutput=null\nRestart=on-failure\nRestartPreventExitStatus=2\n\n" +
		"[Install]\nWantedBy=default.target\n"
}

// unitWord quotes a word of a command line of systemd.
func unitWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`).Replace(word) + `"`
}
