package memory

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
)

// The peak is that of the process: what started it may have had more.
func TestPeakIsOwn(t *testing.T) {
	const key = "GCG_TEST_PEAK"
	if os.Getenv(key) != "" {
		_, _ = os.Stdout.WriteString(strconv.FormatInt(Peak(), 10))
		os.Exit(0)
	}
	ballast := make([]byte, 256<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeakIsOwn$")
	cmd.Env = append(os.Environ(), key+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.ParseInt(string(out), 10, 64)
	runtime.KeepAlive(ballast)
	if own := Peak(); err != nil || child <= 0 || child > 128<<20 || own < int64(len(ballast)) {
		t.Errorf("%d bytes of a child, %d of a process with %d; %v", child, own, len(ballast), err)
	}
}
