//go:build mpi

// Package mpi is the ranks of a job that mpirun, srun or an MPIJob has started. It needs cgo and an MPI library with its headers,
// Open MPI or MPICH, and the build tag mpi; without the tag Start has one rank.
package mpi

/*
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static MPI_Comm ranks;

static int start(int *provided) {
	int rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, provided);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_dup(MPI_COMM_WORLD, &ranks);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN);
	return rc;
}
static int rank_of(int *rank) { return MPI_Comm_rank(ranks, rank); }
static int size_of(int *size) { return MPI_Comm_size(ranks, size); }
static int post_send(const void *b, int n, int to, MPI_Request *r) { return MPI_Isend(b, n, MPI_BYTE, to, 0, ranks, r); }
static int post_recv(void *b, int n, int from, MPI_Request *r) { return MPI_Irecv(b, n, MPI_BYTE, from, 0, ranks, r); }
static void rest(long ns) { struct timespec t = {0, ns}; nanosleep(&t, NULL); }
static void text_of(int code, char *text) { int n; MPI_Error_string(code, text, &n); text[n] = 0; }
static void stop(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
static int finish(void) { return MPI_Finalize(); }

// Looks so many times whether n requests are done; the last time it looks at all of them. done[i] says so of request i. A failure
// is that of request *at, else *at is how many are not done.
static int settle(MPI_Request *r, int n, int times, int *done, int *at) {
	for (int t = 0; t < times; t++) {
		int left = 0;
		for (int i = 0; i < n && (left == 0 || t == times - 1); i++) {
			int rc = done[i] ? MPI_SUCCESS : MPI_Test(r + i, done + i, MPI_STATUS_IGNORE);
			if (rc != MPI_SUCCESS) {
				*at = i;
				return rc;
			}
			left += !done[i];
		}
		*at = left;
		if (left == 0)
			break;
		if (t % 16 == 15)
			sched_yield(); // perhaps to the rank that is waited for
	}
	return MPI_SUCCESS;
}
static MPI_Request *requests(int n) { return malloc(n * sizeof(MPI_Request)); }
static MPI_Request *request(MPI_Request *r, int i) { return r + i; }
static int error_text(void) { return MPI_MAX_ERROR_STRING; }
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed-b18ef778/gcg/cluster"
)

// Built says that ranks can be had: the program was built with the tag mpi.
const Built = true

// transport is a cluster.Transport over MPI.
type transport struct {
	rank, size int
	waiting    atomic.Pointer[[]int] // the ranks that an Exchange waits for
	count      atomic.Int64          // of calls of Exchange
	lost       func(error)           // is called, and does not return, where an Exchange fails; or nil
}

// start joins the ranks of the job.
func start() (*Job, error) {
	var provided, rank, size C.int
	if err := worded(C.start(&provided)); err != nil {
		return nil, err
	}
	if provided < C.MPI_THREAD_SERIALIZED {
		return nil, errors.New("mpi: the library serves one thread alone, and goroutines have several")
	}
	if err := errors.Join(worded(C.rank_of(&rank)), worded(C.size_of(&size))); err != nil {
		return nil, err
	}
	t := &transport{rank: int(rank), size: int(size)}
	return &Job{Comm: cluster.NewComm(t), transport: t}, nil
}

// worded is what a code of MPI says.
func worded(code C.int) error {
	if code == C.MPI_SUCCESS {
		return nil
	}
	text := (*C.char)(C.malloc(C.size_t(C.error_text()) + 1))
	defer C.free(unsafe.Pointer(text))
	C.text_of(code, text)
	return fmt.Errorf("mpi: %s", C.GoString(text))
}

func (t *transport) Rank() int { return t.rank }
func (t *transport) Size() int { return t.size }

// largestMessage is what a count of MPI holds with room: longer ones go in pieces.
const largestMessage = 1 << 30

// Exchange posts all messages at once.
func (t *transport) Exchange(send, recv [][]byte) error {
	t.count.Add(1)
	err := t.exchange(send, recv)
	if err != nil && t.lost != nil {
		t.lost(err)
	}
	return err
}

// exchange is Exchange without what follows a failure.
func (t *transport) exchange(send, recv [][]byte) error {
	var pinned runtime.Pinner
	defer pinned.Unpin()
	count := 0
	for r := range send {
		if r != t.rank {
			count += pieces(send[r]) + pieces(recv[r])
		}
	}
	requests := C.requests(C.int(max(count, 1)))
	defer C.free(unsafe.Pointer(requests))
	of, at := make([]int, 0, count), 0
	for step := 1; step < t.size; step++ { // each rank begins with another one
		for _, way := range []struct {
			rank int
			b    []byte
			post func(b unsafe.Pointer, n C.int, rank C.int, r *C.MPI_Request) C.int
		}{
			{(t.rank + t.size - step) % t.size, recv[(t.rank+t.size-step)%t.size], func(b unsafe.Pointer, n, rank C.int,
				r *C.MPI_Request) C.int {
				return C.post_recv(b, n, rank, r)
			}},
			{(t.rank + step) % t.size, send[(t.rank+step)%t.size], func(b unsafe.Pointer, n, rank C.int,
				r *C.MPI_Request) C.int {
				return C.post_send(b, n, rank, r)
			}},
		} {
			for b := way.b; len(b) > 0; {
				n := min(len(b), largestMessage)
				pinned.Pin(&b[0])
				if err := worded(way.post(unsafe.Pointer(&b[0]), C.int(n), C.int(way.rank), C.request(requests, C.int(at)))); err != nil {
					return err
				}
				of, at, b = append(of, way.rank), at+1, b[n:]
			}
		}
	}
	return t.wait(requests, of)
}

// pieces is the number of messages of so many bytes.
func pieces(b []byte) int { return (len(b) + largestMessage - 1) / largestMessage }

const (
	// spins is how often messages are looked for without a pause, for those of a few microseconds, and spinsAtOnce how often
	// between two moments in which other goroutines have the processor.
	spins, spinsAtOnce = 256, 64
	// pause is how long a rank sleeps that waits longer: a processor has something better to do than to wait. The system is asked
	// for it, since the shortest sleep of Go's own is a millisecond where nothing else is to be done.
	pause = 20 * time.Microsecond
	// pausePart is the part of the time waited so far that a sleep may be longer, up to longestPause: so few sleeps, each of which
	// costs the system some microseconds, see the end of a long wait, and little later.
	pausePart    = 8
	longestPause = 2 * time.Millisecond
)

// wait returns when all requests are done; of has the rank of each.
func (t *transport) wait(requests *C.MPI_Request, of []int) error {
	if len(of) == 0 {
		return nil
	}
	defer t.waiting.Store(nil)
	done, at, began := make([]C.int, len(of)), new(C.int), time.Now()
	for spun := 0; ; spun += spinsAtOnce {
		times := C.int(spinsAtOnce)
		if spun >= spins {
			times = 1
		}
		if err := worded(C.settle(requests, C.int(len(of)), times, &done[0], at)); err != nil {
			return fmt.Errorf("rank %d: %w", of[*at], err)
		}
		switch {
		case *at == 0:
			return nil
		case spun < spins:
			runtime.Gosched()
		default:
			t.note(of, done)
			C.rest(C.long(min(max(pause, time.Since(began)/pausePart), longestPause)))
		}
	}
}

// note keeps the ranks of requests that are not done.
func (t *transport) note(of []int, done []C.int) {
	var left []int
	for i, rank := range of {
		if done[i] == 0 {
			left = append(left, rank)
		}
	}
	t.waiting.Store(&left)
}

// waitsFor are the ranks that an Exchange waits for.
func (t *transport) waitsFor() []int {
	if of := t.waiting.Load(); of != nil {
		return *of
	}
	return nil
}

// exchanged is how many calls of Exchange have begun.
func (t *transport) exchanged() int64 { return t.count.Load() }

// stop ends all ranks.
func stop(code int) { C.stop(C.int(code)) }

// finish takes leave of the other ranks, which must do so too.
func finish() error { return worded(C.finish()) }
