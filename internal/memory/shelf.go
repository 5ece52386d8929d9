package memory

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A shelf keeps memory of one size. What lies there outlives collections, unlike in a sync.Pool: in a run of a second there are a hundred,
// and memory that is found anew has to be zeroed, is not in the cache, and may be one that the system has yet to find.
type shelf struct {
	mu    sync.Mutex
	free  [][]float64 // the last one was used last
	least int         // how many have been free all the time since the last tidying
}

var (
	shelves   [64 * steps]shelf
	onShelves atomic.Int64 // bytes
)

// shelfBytes is the most that shelves keep, which is little beside what large data takes.
const shelfBytes = 64 << 20

func (s *shelf) take() (x []float64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return nil, false
	}
	x = s.free[n-1]
	s.free[n-1] = nil
	s.free, s.least = s.free[:n-1], min(s.least, n-1)
	onShelves.Add(-bytes(x))
	return x, true
}

func bytes(x []float64) int64 { return 8 * int64(len(x)) }

// put says whether there was room.
func (s *shelf) put(x []float64) bool {
	if onShelves.Add(bytes(x)) > shelfBytes {
		onShelves.Add(-bytes(x))
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
	return true
}

// tidy drops what nobody has wanted since the last time.
func (s *shelf) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.free[:s.least] {
		onShelves.Add(-bytes(x))
	}
	s.free = slices.Delete(s.free, 0, s.least)
	s.least = len(s.free)
}

// tidyEvery is the number of collections from one tidying to the next.
const tidyEvery = 8

func init() { afterCollection(1) }

// afterCollection counts collections, by what each of them finds dead.
func afterCollection(count int) {
	if count%tidyEvery == 0 {
		for i := range shelves {
			shelves[i].tidy()
		}
	}
	runtime.AddCleanup(new([16]byte), afterCollection, count+1)
}
