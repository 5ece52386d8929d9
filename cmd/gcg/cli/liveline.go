package cli

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// A liveLine is a line of a terminal that is redrawn in place, with a clock behind it that ticks between redrawals.
type liveLine struct {
	out   io.Writer
	width func() int // columns of the terminal; 0 where they are not known

	mu    sync.Mutex
	text  string
	began time.Time // when the clock was at 0
	done  chan struct{}
}

// tick is how often the clock is redrawn.
const tick = 500 * time.Millisecond

// usualWidth is that of a terminal which does not say.
const usualWidth = 80

// show draws a text, and lets the clock go on from elapsed.
func (l *liveLine) show(text string, elapsed time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text, l.began = text, time.Now().Add(-elapsed)
	l.draw()
	if l.done == nil {
		l.done = make(chan struct{})
		go l.run(l.done)
	}
}

// run redraws until the line ends.
func (l *liveLine) run(done chan struct{}) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
			l.mu.Lock()
			if l.done == done {
				l.draw()
			}
			l.mu.Unlock()
		}
	}
}

// draw writes the line, cut to the width of the terminal: what wraps could not be taken back.
func (l *liveLine) draw() {
	width := l.width()
	if width <= 0 {
		width = usualWidth
	}
	clock := fmt.Sprintf("  %.0f s", time.Since(l.began).Seconds())
	room := max(width-1-len(clock), 0)
	fmt.Fprintf(l.out, "\r\033[K%s%s", cut(l.text, room), clock)
}

// cut is what there is room for of a text, with an ellipsis in the place of the first word that does not fit: of a rank of 179,
// 17 would be another.
func cut(text string, room int) string {
	runes := []rune(text)
	if len(runes) <= room {
		return text
	}
	end := max(room-1, 0)
	for end > 0 && runes[end] != ' ' && runes[end-1] != ' ' {
		end--
	}
	return string(append(slices.Clone(runes[:end]), '…')[:min(end+1, room)])
}

// end leaves the line as it stands, and begins another.
func (l *liveLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done != nil {
		close(l.done)
		l.done = nil
		fmt.Fprintln(l.out)
	}
}
