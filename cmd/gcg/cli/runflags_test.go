package cli

import (
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
)

// Time is left of --max-time from where reading ended: a share of it for the choice of λ, a moment where it is over, and without
// a limit no limit.
func TestTimeLeft(t *testing.T) {
	f := &RunFlags{maxTime: "100s", Began: clock.From(time.Now().Add(-60 * time.Second))}
	for share, want := range map[float64]time.Duration{1: 40 * time.Second, 0.5: 20 * time.Second} {
		if got := f.TimeLeft(share); got > want || got < want-10*time.Second {
			t.Errorf("a share of %v is %v, not %v", share, got, want)
		}
	}
	f.Began = clock.From(time.Now().Add(-200 * time.Second))
	if got := f.TimeLeft(1); got != 1 {
		t.Errorf("%v are left after the end", got)
	}
	if got := (&RunFlags{}).TimeLeft(1); got != 0 {
		t.Errorf("without a limit %v are left", got)
	}
}

// No password that an address holds is written to a trace or a page.
func TestWithoutPassword(t *testing.T) {
	for value, want := range map[string]string{"ratings.csv": "ratings.csv", "a:b@c": "a:b@c",
		"postgres://me:secret@host/db": "postgres://me:xxxxx@host/db", "postgres://host/db": "postgres://host/db"} {
		if got := withoutPassword(value); got != want {
			t.Errorf("%s: %s", value, got)
		}
	}
}
