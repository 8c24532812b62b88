// Sekisho-desktop is the window: the whole desk in one process, with a person in
// front of it.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"

	"sekisho/backend"
	"sekisho/backend/process"
	"sekisho/frontend"
)

// The window is never smaller.
const minWidth, minHeight = 360, 320

// usualAddress is where agents expect the desk.
const usualAddress = "127.0.0.1:7360"

//go:embed build/icon.png
var icon []byte

// errPresented says that the desk runs already and was asked to show its window: a
// second start did all that it can.
var errPresented = errors.New("a desk already runs there, and its window was asked to come up")

func main() {
	process.Begin()
	disarmInspector()
	app, err := newApp(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		err = app.misused(err)
	default:
		err = run(app)
	}
	if err != nil && !errors.Is(err, errPresented) {
		fmt.Fprintln(os.Stderr, "sekisho-desktop:", err)
		os.Exit(1)
	}
}

// newApp reads the command line. flag.ErrHelp says that it asked for words alone,
// and they were said. Nothing is opened yet: generating the bindings runs this
// program too. With an error, what was read before it counts.
func newApp(args []string, out, errs io.Writer) (*App, error) {
	app := &App{opened: make(chan struct{}), log: slog.New(slog.NewTextHandler(errs, nil)), window: newWindow()}
	app.ctx, app.stop = context.WithCancel(context.Background())
	f := flag.NewFlagSet("sekisho-desktop", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&app.data, "data", "", "folder of the desk's data (default: the user's data folder)")
	f.StringVar(&app.listen, "listen", usualAddress, "address to listen on for agents")
	f.BoolVar(&app.hidden, "hidden", false, "start without showing the window, where the desktop offers a way to it")
	version := f.Bool("version", false, "print the version")
	if err := f.Parse(args); err != nil {
		return app, err
	}
	if *version {
		fmt.Fprintln(out, "sekisho-desktop", backend.Version)
		return app, flag.ErrHelp
	}
	if f.NArg() > 0 {
		return app, fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	return app, nil
}

func run(app *App) (err error) {
	spareDriver()
	if err := app.take(); err != nil {
		return err
	}
	go app.open()
	defer app.close()
	defer app.listenToSignals()()
	context.AfterFunc(app.told, app.endUnopened)
	defer func() {
		if reason := recover(); reason != nil {
			err = noDisplay(reason)
		}
		err = cmp.Or(app.isOpen(), err)
	}()
	beside := withheld()
	if !beside && app.isOpen() != nil {
		return nil
	}
	return wails.Run(&options.App{
		Title:            "Sekisho",
		Width:            1000,
		Height:           720,
		MinWidth:         minWidth,
		MinHeight:        minHeight,
		AssetServer:      &assetserver.Options{Assets: frontend.Files()},
		StartHidden:      !beside && app.hidden,
		BackgroundColour: options.NewRGB(247, 244, 237),
		OnStartup:        app.startup,
		OnBeforeClose:    app.beforeClose,
		OnShutdown:       app.shutdown,
		Bind:             []any{app},
		Linux: &linux.Options{
			ProgramName:      "sekisho",
			Icon:             icon,
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever, // a page of text gains nothing, and some drivers leave it blank
		},
	})
}

// noDisplay makes an error of the one panic of Wails that the person can mend;
// any other goes on.
func noDisplay(reason any) error {
	if e, ok := reason.(error); ok && e.Error() == "failed to init GTK" {
		return errors.New("open the window: no display answers (is DISPLAY or WAYLAND_DISPLAY set?); sekishod is the desk without a window")
	}
	panic(reason)
}
