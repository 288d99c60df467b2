package process

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Family is a process and its descendants: a job object, which none of them can leave, and which the system ends when
// its last handle is closed, so also when this process dies (F78).
type Family struct {
	cmd *exec.Cmd
	job windows.Handle
}

// Start starts a command in a job of its own. It changes the command's SysProcAttr. The process is suspended until it is
// in the job, or what it starts first could stay outside.
func Start(cmd *exec.Cmd) (*Family, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.HideWindow = true
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	f := &Family{cmd: cmd, job: job}
	if err := f.admit(); err != nil {
		f.Kill()
		_ = cmd.Process.Kill() // it may not be in the job yet
		_ = cmd.Wait()
		f.Release()
		return nil, err
	}
	return f, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create a job object: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("set the limits of a job object: %w", err), windows.CloseHandle(job))
	}
	return job, nil
}

// admit puts the suspended process in the job and lets it run.
func (f *Family) admit() error {
	pid := uint32(f.cmd.Process.Pid)
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("open the process: %w", err)
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(f.job, process); err != nil {
		return fmt.Errorf("put the process in its job object: %w", err)
	}
	return resume(pid)
}

// resume lets the threads of a process run, of which a suspended one has one.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(threads)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open the thread of the process: %w", err)
		}
		defer windows.CloseHandle(thread)
		if _, err := windows.ResumeThread(thread); err != nil {
			return fmt.Errorf("resume the process: %w", err)
		}
		return nil
	}
	return errors.New("the process has no thread")
}

// AwaitDeath waits for the process. Nothing is signalled by number here, so there is no harm in reaping it.
func (f *Family) AwaitDeath() { _ = f.cmd.Wait() }

// Terminate does nothing: there is no signal that every program understands.
func (f *Family) Terminate() {}

// Kill ends the job. Every process in it is dead when this returns, or is about to be.
func (f *Family) Kill() { _ = windows.TerminateJobObject(f.job, 1) }

// Finish kills what is left of the family when its leader is dead.
func (f *Family) Finish() { f.Kill() }

// Release frees what the family holds of the system, after Finish.
func (f *Family) Release() { _ = windows.CloseHandle(f.job) }
