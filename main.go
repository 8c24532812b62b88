// Sekisho-desktop is the window: the whole desk in one process, with a person in
// front of it.
package main

import (
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
	"sekisho/frontend"
)

//go:embed build/icon.png
var icon []byte

func main() {
	disarmInspector()
	app, err := newApp(os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(app)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sekisho-desktop:", err)
		os.Exit(1)
	}
}

// newApp reads the command line. flag.ErrHelp says that it asked for words alone,
// and they were said. Nothing is opened yet: generating the bindings runs this
// program too.
func newApp(args []string, out, errs io.Writer) (*App, error) {
	app := &App{log: slog.New(slog.NewTextHandler(errs, nil))}
	app.ctx, app.stop = context.WithCancel(context.Background())
	f := flag.NewFlagSet("sekisho-desktop", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&app.data, "data", "", "folder of the desk's data (default: the user's data folder)")
	f.StringVar(&app.listen, "listen", "127.0.0.1:7360", "address to listen on for agents")
	version := f.Bool("version", false, "print the version")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if *version {
		fmt.Fprintln(out, "sekisho-desktop", backend.Version)
		return nil, flag.ErrHelp
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	return app, nil
}

func run(app *App) (err error) {
	if err := app.open(); err != nil {
		return err
	}
	defer app.close()
	defer func() {
		if reason := recover(); reason != nil {
			err = noDisplay(reason)
		}
	}()
	return wails.Run(&options.App{
		Title:            "Sekisho",
		Width:            1000,
		Height:           720,
		MinWidth:         360,
		MinHeight:        320,
		AssetServer:      &assetserver.Options{Assets: frontend.Files()},
		BackgroundColour: options.NewRGB(247, 244, 237),
		OnStartup:        app.startup,
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
