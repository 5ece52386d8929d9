//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// asWriter makes the test binary a process that writes half of a file, says so, and waits.
const asWriter = "GCG_TEST_HALF_WRITTEN"

func TestMain(m *testing.M) {
	if name := os.Getenv(asWriter); name != "" {
		a, err := atomicfile.Create(name)
		if err != nil {
			os.Exit(1)
		}
		a.WriteString("half")
		a.Flush()
		os.Stdout.WriteString("ready\n")
		io.Copy(io.Discard, os.Stdin)
		a.Commit()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writer starts a process that writes half of a file, and goes on when its input ends.
func writer(t *testing.T, name string) (*exec.Cmd, io.Closer) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asWriter+"="+name)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	return cmd, in
}

// The next writer of a name removes what a killed one left, also where that may only be read. What a living process writes
// stays, and so does whatever only looks alike.
func TestLeftovers(t *testing.T) {
	t.Chdir(t.TempDir())
	killed, _ := writer(t, "m")
	killed.Process.Kill()
	killed.Wait()
	living, goOn := writer(t, "m")
	defer living.Process.Kill()
	other, _ := writer(t, "n")
	other.Process.Kill()
	other.Wait()
	os.WriteFile(".m.tmp17", nil, 0o444)
	alike := []string{".m.tmp", ".m.tmpx", ".m.tmp1x", ".m.tmp017", ".mm.tmp1", "m.tmp1", ".m.tmp99999999999999999999"}
	for _, name := range alike {
		os.WriteFile(name, nil, 0o644)
	}
	os.Mkdir(".m.tmp5", 0o755)
	os.Symlink("m.tmp1", ".m.tmp6")
	if err := atomicfile.Writable("m"); err != nil {
		t.Fatal(err)
	}
	var temporary []string
	all, _ := filepath.Glob(".*")
	for _, name := range all {
		if !slices.Contains(alike, name) {
			temporary = append(temporary, name)
		}
	}
	if len(temporary) != 4 || !slices.Contains(temporary, ".m.tmp5") || !slices.Contains(temporary, ".m.tmp6") ||
		slices.Contains(temporary, ".m.tmp17") || len(all) != 4+len(alike)-1 {
		t.Errorf("left %q of %q", temporary, all)
	}
	goOn.Close()
	if err := living.Wait(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile("m"); string(b) != "half" {
		t.Errorf("the living process wrote %q, %v", b, err)
	}
	if left, _ := filepath.Glob(".n.tmp*"); len(left) != 1 {
		t.Errorf("those of another name are %q", left)
	}
}

// Many writers of one name do not take each other's files, and leave none.
func TestManyWriters(t *testing.T) {
	t.Chdir(t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				if err := atomicfile.Writable("m"); err != nil {
					t.Error(err)
				}
				if err := atomicfile.Write("m", text(strings.Repeat("x", 1000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}
