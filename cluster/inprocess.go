package cluster

import (
	"errors"
	"fmt"
	"sync"
)

// errEnded is of a rank that has ended while others wait for it.
var errEnded = errors.New("a rank has ended")

// goroutines is a Transport between goroutines of one process.
type goroutines struct {
	rank  int
	lines [][]chan []byte // [from][to]
	ended chan struct{}
}

func (g *goroutines) Rank() int { return g.rank }
func (g *goroutines) Size() int { return len(g.lines) }

// Exchange copies what is sent: the sender writes to it again.
func (g *goroutines) Exchange(send, recv [][]byte) error {
	for to := range g.lines {
		if to != g.rank {
			select {
			case g.lines[g.rank][to] <- append([]byte(nil), send[to]...):
			case <-g.ended:
				return errEnded
			}
		}
	}
	for from := range g.lines {
		if from == g.rank {
			continue
		}
		select {
		case b := <-g.lines[from][g.rank]:
			if len(b) != len(recv[from]) {
				return fmt.Errorf("rank %d sends %d bytes where %d are expected", from, len(b), len(recv[from]))
			}
			copy(recv[from], b)
		case <-g.ended:
			return errEnded
		}
	}
	return nil
}

// InProcess runs f on so many ranks, which are goroutines, and returns when all have ended. Where one returns an error, the
// others end at their next collective call, and the error is returned.
func InProcess(ranks int, f func(c *Comm) error) error {
	lines := make([][]chan []byte, ranks)
	for from := range lines {
		lines[from] = make([]chan []byte, ranks)
		for to := range lines[from] {
			lines[from][to] = make(chan []byte, 1)
		}
	}
	ended, once := make(chan struct{}), sync.Once{}
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			errs[rank] = within(func() error { return f(NewComm(&goroutines{rank, lines, ended})) })
			if errs[rank] != nil {
				once.Do(func() { close(ended) })
			}
		})
	}
	all.Wait()
	var lost error
	for _, err := range errs {
		if err != nil && !errors.Is(err, errEnded) {
			return err
		}
		lost = errors.Join(lost, err)
	}
	return lost
}

// within is f, whose panic with a Lost is an error.
func within(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case Lost:
			err = p
		default:
			panic(p)
		}
	}()
	return f()
}
