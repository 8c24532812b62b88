package process

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Supervises reports whether what a program has started ends with it: a job object sees
// to it, which no process in it can leave.
func Supervises() bool { return true }

func begin() { seal() }

// supervise starts cmd in a job object that ends with its last handle. The desk alone has
// that handle, and loses it however it ends. The program begins suspended, so that
// it starts nothing before it is in the job.
func supervise(cmd *exec.Cmd) (*Tree, error) {
	object, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("make a job object: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED}
	if err := cmd.Start(); err != nil {
		object.Close()
		return nil, err
	}
	if err := object.take(uint32(cmd.Process.Pid)); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		object.Close()
		return nil, fmt.Errorf("put it into a job object: %w", err)
	}
	return &Tree{cmd: cmd, life: object}, nil
}

// job is the handle of a job object.
type job windows.Handle

func newJob() (job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(handle)
		return 0, err
	}
	return job(handle), nil
}

// take puts a suspended process into the job, and lets it run.
func (j job) take(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(windows.Handle(j), process); err != nil {
		return err
	}
	return resume(pid)
}

// resume lets the one thread of a suspended process run.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(threads)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		return errors.Join(err, windows.CloseHandle(thread))
	}
	return fmt.Errorf("find its thread: %w", err)
}

// Write is asked to tell a word, and Windows has none that asks a program to end.
func (j job) Write(word []byte) (int, error) { return len(word), nil }

// Close ends every process in the job.
func (j job) Close() error { return windows.CloseHandle(windows.Handle(j)) }
