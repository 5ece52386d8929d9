package cli

import (
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// A screen is what a line was drawn on.
type screen struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// The line fits the terminal at any width, is redrawn in place, and its clock goes on while nothing else happens.
func TestLiveLine(t *testing.T) {
	for _, width := range []int{0, 20, 80, 200} {
		var out screen
		l := &liveLine{out: &out, width: func() int { return width }}
		l.show("[====            ] iteration 17  objective 123456.78  gap 1.2e-02  rank 30  λ "+strings.Repeat("x", 60), 61*time.Second)
		for i := 0; !strings.Contains(out.String(), "  62 s"); i++ {
			if i > 1000 {
				t.Fatalf("width %d: the clock stands still: %q", width, out.String())
			}
			time.Sleep(10 * time.Millisecond)
		}
		l.end()
		drawn := out.String()
		l.end()
		if out.String() != drawn || !strings.HasSuffix(drawn, "\n") {
			t.Errorf("width %d: the end is not that of one line: %q", width, out.String())
		}
		lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\r\033[K")
		if width == 0 {
			width = usualWidth
		}
		for _, line := range lines[1:] {
			if n := utf8.RuneCountInString(line); n >= width || strings.Contains(line, "\n") {
				t.Errorf("width %d: %d columns in %q", width, n, line)
			}
		}
	}
}

// What has no room is left out by words: a part of a number is another number.
func TestLiveLineIsCutBetweenWords(t *testing.T) {
	const text = "gap 1e-02  rank 179"
	for room, want := range map[int]string{0: "", 1: "…", 4: "gap…", 9: "gap …", 17: "gap 1e-02  rank …", 18: "gap 1e-02  rank …",
		19: text, 30: text} {
		if got := cut(text, room); got != want {
			t.Errorf("%d columns: %q, want %q", room, got, want)
		}
	}
}
