package main

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"
)

// fileSize bounds the files that a running desk may write; a full disk comes and
// goes the same way.
func (d *daemon) fileSize(limit uint64) {
	d.Helper()
	bounds := syscall.Rlimit{Cur: limit, Max: ^uint64(0)}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(d.cmd.Process.Pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&bounds)), 0, 0, 0); errno != 0 {
		d.Fatal(errno)
	}
}

func TestDiskThatBecomesFullAndEmptyAgain(t *testing.T) {
	d := start(t, t.TempDir())
	d.operate("POST", "/v1/rules", `{"id":"reads","toolPattern":"read_*","autoApprove":true}`, nil)
	token := d.agent("agent")
	if status := d.ask(token, "before", "write_file"); status != 201 {
		t.Fatal(status)
	}
	d.fileSize(0)
	for i := range 3 {
		if status := d.ask(token, fmt.Sprint("full", i), "read_file"); status != 503 {
			t.Errorf("asked of a full disk: %d", status)
		}
	}
	held := d.pending(1)[0]
	decision := fmt.Sprintf(`{"approved":true,"rev":1,"inputHash":%q}`, held.InputHash)
	if status := d.as(operator, "POST", "/v1/calls/"+string(held.ID)+"/decision", decision, nil); status != 503 {
		t.Errorf("decided on a full disk: %d", status)
	}
	var health struct {
		OK      bool
		Trouble string
	}
	d.operate("GET", "/healthz", "", &health)
	if health.OK || health.Trouble == "" {
		t.Errorf("healthz: %+v", health)
	}
	d.fileSize(^uint64(0))
	if status := d.ask(token, "after", "write_file"); status != 201 {
		t.Errorf("with space again: %d\n%s", status, d.stderr)
	}
	d.pending(2)
	d.operate("GET", "/healthz", "", &health)
	if !health.OK {
		t.Errorf("healthz: %+v", health)
	}
	if status := d.ask(token, "full0", "read_file"); status != 201 {
		t.Errorf("asked again: %d", status)
	}
}
