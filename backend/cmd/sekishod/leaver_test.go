package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// leave is a tool server that leaves a process behind: in a session of its own, twice
// forked, and with an environment that says nothing of where it comes from. It writes the
// descriptors that it was started with to a file beside.
func leave() {
	marker, found := os.Getenv("SEKISHOD_TEST_LEAVER"), os.Getenv("SEKISHOD_TEST_FOUND")
	var fds []string
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if handed := strings.HasPrefix(to, "pipe:") || strings.HasPrefix(to, "socket:"); err == nil && handed {
			fds = append(fds, e.Name()+" "+to)
		}
	}
	if found != "" {
		os.WriteFile(found, []byte(strings.Join(fds, "\n")), 0o600)
	}
	stray := exec.Command("env", "-i", "PATH="+os.Getenv("PATH"), "setsid", "sh", "-c",
		"(setsid sleep "+marker+" </dev/null >/dev/null 2>&1 &) ; exit 0")
	if err := stray.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct{ ID json.RawMessage }
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID != nil {
			fmt.Printf(
				`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"leaver","version":"1"}}}`+"\n", m.ID)
		}
	}
	os.Exit(0)
}
