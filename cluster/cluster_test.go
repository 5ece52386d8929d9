package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/clock"
)

// everywhere runs f on each number of ranks.
func everywhere(t *testing.T, f func(c *cluster.Comm) error) {
	t.Helper()
	for _, ranks := range []int{1, 2, 3, 4, 5, 8} {
		if err := cluster.InProcess(ranks, f); err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// term is a number of a shard whose sums are rounded.
func term(shard, i int) float64 { return math.Sin(float64(100*shard+i)) * math.Pow(10, float64(i%7)) }

// counts are the observations of some rows, of which some have none.
func counts() []int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]int64, 200)
	for i := range list {
		list[i] = int64(rng.IntN(3) * rng.IntN(50))
	}
	return list
}

// Sums are the same to the last bit on any number of ranks, short and long ones, in either precision.
func TestSumIsTheSameOnAnyNumberOfRanks(t *testing.T) {
	for _, length := range []int{1, 17, 5000} {
		want, narrow := make([]float64, length), make([]float32, length)
		var mutex sync.Mutex
		begun := false
		everywhere(t, func(c *cluster.Comm) error {
			r, err := cluster.Spread(c, counts())
			if err != nil {
				return err
			}
			got, got32 := make([]float64, length), make([]float32, length)
			cluster.Sum(r, got, func(shard int, part []float64) {
				for i := range part {
					part[i] = term(shard, i)
				}
			})
			cluster.Sum(r, got32, func(shard int, part []float32) {
				for i := range part {
					part[i] = float32(term(shard, i))
				}
			})
			mutex.Lock()
			defer mutex.Unlock()
			if !begun {
				begun = true
				copy(want, got)
				copy(narrow, got32)
				for i := range got {
					var sum, size float64
					for s := range r.Shards() {
						sum += term(s, i)
						size += math.Abs(term(s, i))
					}
					if math.Abs(sum-got[i]) > 1e-14*size {
						return fmt.Errorf("sum %d is %v, not %v", i, got[i], sum)
					}
				}
			}
			if !slices.Equal(got, want) || !slices.Equal(got32, narrow) {
				return errors.New("the sums differ")
			}
			return nil
		})
	}
}

// The rows of the ranks are all rows, once, and shards have about equal numbers of observations.
func TestSpread(t *testing.T) {
	everywhere(t, func(c *cluster.Comm) error {
		r, err := cluster.Spread(c, counts())
		if err != nil {
			return err
		}
		list := make([]float64, 3*200)
		lo, hi := r.OwnRows()
		for i := lo; i < hi; i++ {
			for k := range 3 {
				list[3*i+k] = float64(3*i + k)
			}
			if rank := r.RankOf(r.ShardOf(i)); rank != c.Rank() {
				return fmt.Errorf("row %d is of rank %d", i, rank)
			}
		}
		cluster.Fill(r, list, 3)
		var most, all int64
		for s := range r.Shards() {
			var n int64
			lo, hi := r.Shard(s)
			for _, x := range counts()[lo:hi] {
				n += x
			}
			most, all = max(most, n), all+n
		}
		if most > all/int64(r.Shards())+100 {
			return fmt.Errorf("a shard has %d of %d observations", most, all)
		}
		for i, x := range list {
			if x != float64(i) {
				return fmt.Errorf("number %d is %v", i, x)
			}
		}
		return nil
	})
	err := cluster.InProcess(9, func(c *cluster.Comm) error {
		_, err := cluster.Spread(c, counts())
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "9 ranks were started, and at most 8 share") {
		t.Errorf("nine ranks of eight shards: %v", err)
	}
}

// Lists, what is dealt out, counts, extremes and errors are those of all ranks.
func TestExchanges(t *testing.T) {
	everywhere(t, func(c *cluster.Comm) error {
		me, size := c.Rank(), c.Size()
		for r, list := range cluster.All(c, slices.Repeat([]int32{int32(me)}, me)) {
			if len(list) != r || r > 0 && list[0] != int32(r) {
				return fmt.Errorf("rank %d has %v", r, list)
			}
		}
		to := make([][]int64, size)
		for r := range to {
			to[r] = slices.Repeat([]int64{int64(100*me + r)}, r)
		}
		for from, list := range cluster.Deal(c, to) {
			if !slices.Equal(list, slices.Repeat([]int64{int64(100*from + me)}, me)) {
				return fmt.Errorf("rank %d sends %v", from, list)
			}
		}
		if n := c.Count(me + 1); n != size*(size+1)/2 {
			return fmt.Errorf("%d together", n)
		}
		if lo, hi := c.Extremes(float64(me), float64(me)); lo != 0 || hi != float64(size-1) {
			return fmt.Errorf("from %v to %v", lo, hi)
		}
		if err := c.FirstError(nil); err != nil {
			return err
		}
		var own error
		if me == size-1 {
			own = errors.New("its own")
		}
		if err := c.FirstError(own); err == nil || err.Error() != "its own" {
			return fmt.Errorf("the first is %w", err)
		}
		return nil
	})
}

// A rank that ends takes the others with it, and the error is that of the first.
func TestOneEndsAll(t *testing.T) {
	own := errors.New("no disk")
	err := cluster.InProcess(4, func(c *cluster.Comm) error {
		if c.Rank() == 2 {
			return own
		}
		for {
			cluster.All(c, []byte{1})
		}
	})
	if !errors.Is(err, own) {
		t.Error(err)
	}
}

// A context ends on all ranks between the same two sums, though it was ended on one alone, and so do contexts derived of it.
func TestContextEndsTogether(t *testing.T) {
	var mutex sync.Mutex
	ends := map[int]bool{}
	err := cluster.InProcess(4, func(c *cluster.Comm) error {
		r, err := cluster.Spread(c, counts())
		if err != nil {
			return err
		}
		own, cancel := context.WithCancel(t.Context())
		defer cancel()
		ctx := c.Within(own)
		derived, release := context.WithCancelCause(ctx)
		defer release(nil)
		for round := 0; ; round++ {
			if c.Rank() == 3 && round == 5 {
				cancel()
			}
			if ctx.Err() != nil || derived.Err() != nil {
				mutex.Lock()
				defer mutex.Unlock()
				ends[round] = true
				if ctx.Err() == nil || derived.Err() == nil {
					return errors.New("one of them goes on")
				}
				return nil
			}
			cluster.Numbers(r, 1, func(int) []float64 { return []float64{1} })
		}
	})
	if err != nil || len(ends) != 1 || !ends[6] {
		t.Error(err, ends)
	}
}

// The clock of the context is that of the first rank, moves where ranks agree, and makes its calls there.
func TestClockIsShared(t *testing.T) {
	var mutex sync.Mutex
	rounds := map[int]bool{}
	err := cluster.InProcess(4, func(c *cluster.Comm) error {
		ctx := c.Within(t.Context())
		c.Agree()
		began, called := clock.Begin(ctx), 0
		clock.Of(ctx).AfterFunc(time.Millisecond, func() { called++ })
		off := clock.Of(ctx).AfterFunc(0, func() { called += 100 })
		if !off.Stop() || off.Stop() || off.Reset(time.Hour) {
			return errors.New("a call was not taken back")
		}
		for round := 0; ; round++ {
			time.Sleep(time.Duration(c.Rank()) * 100 * time.Microsecond)
			before := began.Elapsed()
			if before != began.Elapsed() || (before >= time.Millisecond) != (called == 1) {
				return fmt.Errorf("%d calls after %v", called, before)
			}
			if called == 1 {
				mutex.Lock()
				defer mutex.Unlock()
				rounds[round] = true
				return nil
			}
			c.Agree()
		}
	})
	if err != nil || len(rounds) != 1 {
		t.Error(err, rounds)
	}
}

// A context ends where ranks agree on it, and where they look for errors, too: reading adds no numbers.
func TestContextEndsBetweenErrors(t *testing.T) {
	for what, meet := range map[string]func(c *cluster.Comm){
		"Agree":      func(c *cluster.Comm) { c.Agree() },
		"FirstError": func(c *cluster.Comm) { _ = c.FirstError(nil) },
	} {
		err := cluster.InProcess(3, func(c *cluster.Comm) error {
			own, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx := c.Within(own)
			if meet(c); ctx.Err() != nil {
				return errors.New("it ends unasked")
			}
			if c.Rank() == 1 {
				cancel()
			}
			if meet(c); ctx.Err() == nil {
				return errors.New("it goes on")
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
