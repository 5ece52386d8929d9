package text

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/iotest"
	"time"
)

// What is read ahead is what there is, error and all, however it comes.
func TestAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	want := make([]byte, 5*aheadSize+7)
	for i := range want {
		want[i] = byte(rand.IntN(256))
	}
	torn := errors.New("torn")
	for name, r := range map[string]io.Reader{
		"whole":       bytes.NewReader(want),
		"in pieces":   iotest.HalfReader(bytes.NewReader(want)),
		"last at EOF": iotest.DataErrReader(bytes.NewReader(want)),
		"torn":        io.MultiReader(bytes.NewReader(want), iotest.ErrReader(torn)),
	} {
		a, stop := NewAhead(r)
		got, err := io.ReadAll(iotest.HalfReader(a))
		if name == "torn" && err != torn || name != "torn" && err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d of %d bytes, %v", name, len(got), len(want), err)
		}
		if n, again := a.Read(make([]byte, 1)); n != 0 || again != err && again != io.EOF {
			t.Errorf("%s: behind the end %d bytes, %v", name, n, again)
		}
		stop()
	}
}

// One that is no longer wanted ends.
func TestAheadStops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	before := runtime.NumGoroutine()
	a, stop := NewAhead(endless{})
	a.Read(make([]byte, 3))
	stop()
	for start := time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Since(start) > 10*time.Second {
			t.Fatal("it reads on")
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }
