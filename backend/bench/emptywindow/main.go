// Emptywindow is a Wails window with one static page, beside which the product's own window is
// measured: what it takes to start and to be there is what Wails and its web view take.
package main

import (
	"log"
	"testing/fstest"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

const page = `<!doctype html><html lang="en"><title>Empty</title><body><h1>Empty</h1><button>Nothing</button></body></html>`

func main() {
	err := wails.Run(&options.App{
		Title:       "Empty",
		Width:       1000,
		Height:      720,
		AssetServer: &assetserver.Options{Assets: fstest.MapFS{"index.html": {Data: []byte(page)}}},
		Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever}, // as the product's
	})
	if err != nil {
		log.Fatal(err)
	}
}
