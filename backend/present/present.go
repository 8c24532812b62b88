// Package present tells which agent programs are on this machine.
package present

import (
	"os"
	"path/filepath"
	"slices"

	"sekisho/backend/connect"
)

// On reports whether a client is on this machine: a folder or a file of its own is there.
func On(p connect.Places, client string) bool {
	c, known := connect.ClientByID(client)
	if !known {
		return false
	}
	files, folders := c.Own(p)
	if !c.Hooks() { // its files lie in folders that are its own
		for _, f := range files {
			folders = append(folders, filepath.Dir(f))
		}
	}
	return slices.ContainsFunc(append(files, folders...), exists)
}

// exists reports whether something has a name.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
