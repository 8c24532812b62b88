package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/journalkey"
	"sekisho/backend/permission"
	"sekisho/backend/usage"
)

const keyHelp = `Print the public keys of this user's journals: of each its name and its key, which is
what "journal verify --key" takes. Note it down where who may change the data cannot
change it too. With FILE, a private key that sekishod was given by --journal-key, print
the public part of that one.`

func newKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "key [FILE]", Short: "Print the public keys that journals are signed with", Long: keyHelp, Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				key, err := journalkey.Read(args[0])
				if err == nil {
					fmt.Fprintln(c.OutOrStdout(), public(key))
				}
				return err
			}
			dir, err := journalkey.Folder()
			if err != nil {
				return err
			}
			return printKeys(c, dir)
		},
	}
}

func public(key ed25519.PrivateKey) string {
	return permission.PublicKey(key.Public().(ed25519.PublicKey))
}

func printKeys(c *cobra.Command, dir string) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return fmt.Errorf("there is no key in %s: a desk makes one when it starts", dir)
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), journalkey.Suffix)
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		key, bad := journalkey.Read(filepath.Join(dir, f.Name()))
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		fmt.Fprintln(c.OutOrStdout(), name, public(key))
	}
	return err
}

// publicKeys reads keys as they were given: each is a key, or a file with one.
func publicKeys(given []string) (keys []ed25519.PublicKey, err error) {
	for _, text := range given {
		key, bad := permission.ParsePublicKey(text)
		if bad != nil {
			raw, unread := os.ReadFile(text)
			if unread != nil {
				return nil, fmt.Errorf("--key %.100q is neither a public key nor a file that can be read: %w", text, bad)
			}
			words := strings.Fields(string(raw)) // as "journal key" prints it: behind the name
			if len(words) == 0 {
				return nil, fmt.Errorf("--key %s: the file is empty", text)
			}
			if key, bad = permission.ParsePublicKey(words[len(words)-1]); bad != nil {
				return nil, fmt.Errorf("--key %s: %w", text, bad)
			}
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// verifyFolder lets the program that can read a data folder check the journal in it: this
// one is small because it cannot.
func verifyFolder(c *cobra.Command, dir string, keys []ed25519.PublicKey) error {
	args := []string{"journal", "verify"}
	for _, key := range keys {
		args = append(args, "--key", permission.PublicKey(key))
	}
	run := exec.CommandContext(c.Context(), beside("sekishod"), append(args, "--", dir)...)
	run.Stdout, run.Stderr = c.OutOrStdout(), c.ErrOrStderr()
	err := run.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return usage.Coded{Err: errors.New("what the folder holds is not whole"), Code: ended.ExitCode()}
	}
	if err != nil {
		return unreadable(fmt.Errorf("check a data folder: %w", err))
	}
	return nil
}
