package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup makes a child lead a process group, and die with the thread that started it.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// groupAlive says whether the group has a member that still runs. Zombies don't: in a container whose first process reaps
// nothing they stay for ever, and the group with them.
func groupAlive(group int) bool {
	if syscall.Kill(-group, 0) != nil {
		return false
	}
	return anyThread(group, func(state byte) bool { return state != 'Z' && state != 'X' })
}

// groupStopped says whether every thread of the group has stopped: SIGSTOP takes a moment to reach those on other processors.
func groupStopped(group int) bool {
	return !anyThread(group, func(state byte) bool { return state != 'T' && state != 't' && state != 'Z' && state != 'X' })
}

// anyThread says whether a thread of the group is in a state that is looked for.
func anyThread(group int, is func(state byte) bool) bool {
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return true
	}
	want := strconv.Itoa(group)
	for _, process := range processes {
		if of, _ := stat(process); of != want {
			continue
		}
		threads, err := filepath.Glob(filepath.Dir(process) + "/task/*/stat")
		if err != nil {
			return true
		}
		for _, thread := range threads {
			if of, state := stat(thread); of == want && is(state) {
				return true
			}
		}
	}
	return false
}

// stat reads group and state out of a stat file, proc(5): pid (comm) state ppid pgrp ... The name may hold anything, so what follows
// is counted from the last bracket. A process that ended meanwhile has no group.
func stat(file string) (group string, state byte) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", 'X'
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return "", 'X'
	}
	return string(fields[2]), fields[0][0]
}
