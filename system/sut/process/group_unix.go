//go:build unix && !linux

package process

import "syscall"

// ownGroup makes a child lead a process group; the watchdog alone sees to it that it does not outlive us.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// groupAlive says whether the group has a member.
func groupAlive(group int) bool { return syscall.Kill(-group, 0) == nil }

// groupStopped can't be seen without /proc.
func groupStopped(int) bool { return true }
