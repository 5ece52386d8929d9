package memory

import (
	"math"
	"testing"
	"testing/fstest"
)

// The least limit of the process's own groups counts, in both versions of them, wherever on the way up it is.
func TestCgroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"no groups": {nil, math.Inf(1)},
		"no limit":  {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, math.Inf(1)},
		"its own":   {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "2048\n"}, 2048},
		"that above": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "4096\n",
			"sys/fs/cgroup/a/memory.max": "1024\n"}, 1024},
		"in a container": {map[string]string{"proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/memory.max": "512\n"}, 512},
		"another's":      {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/b/memory.max": "2048\n"}, math.Inf(1)},
		"version 1": {map[string]string{"proc/self/cgroup": "5:cpu,memory:/d\n4:pids:/d\n",
			"sys/fs/cgroup/memory/d/memory.limit_in_bytes": "8192\n"}, 8192},
		"version 1, root": {map[string]string{"proc/self/cgroup": "5:memory:/d\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "8192\n"}, 8192},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := cgroupLimit(root); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
