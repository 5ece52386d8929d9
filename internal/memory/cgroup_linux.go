package memory

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// cgroupLimit is the least memory that a control group of the process allows, in bytes, +Inf where none does; of containers
// it is all that there is. root is the file system's: groups of version 2 have memory.max, those of version 1
// memory.limit_in_bytes, and inside a container the group's own directory may be the root of what is mounted.
func cgroupLimit(root fs.FS) float64 {
	least := math.Inf(1)
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(fields) < 3 {
			continue
		}
		mount, name := "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		if fields[1] == "" {
			mount, name = "sys/fs/cgroup", "memory.max"
		} else if !strings.Contains(","+fields[1]+",", ",memory,") {
			continue
		}
		for dir := path.Join("/", fields[2]); ; dir = path.Dir(dir) {
			least = min(least, limitIn(root, path.Join(mount, dir, name)))
			if dir == "/" {
				break
			}
		}
	}
	return least
}

// limitIn is the number in a file, +Inf where there is none: groups without a limit say "max".
func limitIn(root fs.FS, name string) float64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return math.Inf(1)
	}
	bytes, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || !(bytes > 0) {
		return math.Inf(1)
	}
	return bytes
}
