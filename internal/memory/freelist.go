package memory

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A freeList keeps free memory of one size. Unlike in a sync.Pool, memory there outlives collections, of which a run of a second
// has a hundred. New memory has to be zeroed, is not in the cache, and may have to be mapped first.
type freeList struct {
	mu    sync.Mutex
	free  [][]float64 // in the order in which they were put there; the last is taken first
	least int         // how many, from the first on, nobody has taken since the last tidying
}

var (
	freeLists   [64 * steps]freeList
	listedBytes atomic.Int64 // bytes on all free lists
)

// mostListed is the most memory that all the free lists keep together, which is little beside what large data takes.
const mostListed = 64 << 20

// take is the memory that was put there last, if there is any.
func (s *freeList) take() (x []float64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return nil, false
	}
	x = s.free[n-1]
	s.free[n-1] = nil
	s.free, s.least = s.free[:n-1], min(s.least, n-1)
	listedBytes.Add(-bytes(x))
	return x, true
}

// bytes is the size of x.
func bytes(x []float64) int64 { return 8 * int64(len(x)) }

// put keeps x, and reports false where the free lists have no room for it.
func (s *freeList) put(x []float64) bool {
	if listedBytes.Add(bytes(x)) > mostListed {
		listedBytes.Add(-bytes(x))
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
	return true
}

// tidy drops the memory that nobody has wanted since the last tidying.
func (s *freeList) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.free[:s.least] {
		listedBytes.Add(-bytes(x))
	}
	s.free = slices.Delete(s.free, 0, s.least)
	s.least = len(s.free)
}

// tidyEvery is the number of collections from one tidying to the next.
const tidyEvery = 8

// init begins to count collections.
func init() { afterCollection(1) }

// afterCollection counts the collections of garbage, and tidies the free lists after every eighth. It makes an object that is
// garbage at once, and is called again when the next collection finds this.
func afterCollection(count int) {
	if count%tidyEvery == 0 {
		for i := range freeLists {
			freeLists[i].tidy()
		}
	}
	runtime.AddCleanup(new([16]byte), afterCollection, count+1)
}
