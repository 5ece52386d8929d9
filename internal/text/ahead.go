package text

import (
	"io"
	"runtime"
)

// An ahead reads on in a goroutine of its own while what it has read is worked on: a file is decompressed beside its lines being
// parsed.
type ahead struct {
	full  chan block
	spare chan []byte // buffers that have been worked on
	stop  chan struct{}
	now   block
	rest  []byte // of now
}

type block struct {
	bytes []byte
	err   error // behind them
}

const (
	aheadBlocks = 3
	aheadSize   = 1 << 17
)

// NewAhead reads r ahead where there is a processor to do so; stop ends that.
func NewAhead(r io.Reader) (reader io.Reader, stop func()) {
	if runtime.GOMAXPROCS(0) == 1 {
		return r, func() {}
	}
	a := &ahead{full: make(chan block, aheadBlocks), spare: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.spare <- make([]byte, aheadSize)
	}
	go a.run(r)
	return a, func() { close(a.stop) }
}

// run ends where r does.
func (a *ahead) run(r io.Reader) {
	for {
		select {
		case <-a.stop:
			return
		case b := <-a.spare:
			n, err := r.Read(b)
			a.full <- block{b[:n], err} // there are no more blocks than places for them
			if err != nil {
				return
			}
		}
	}
}

func (a *ahead) Read(b []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.bytes != nil {
			a.spare <- a.now.bytes[:cap(a.now.bytes)]
		}
		a.now = <-a.full
		a.rest = a.now.bytes
	}
	n := copy(b, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}
