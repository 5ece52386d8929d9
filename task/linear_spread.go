package task

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// checkRanks refuses what ranks do not do together.
func (l *Linear) checkRanks() error {
	k := view.OfGauge(l.Gauge)
	switch {
	case l.Ranks == nil:
		return nil
	case l.Loss.Kind == Cox:
		return errors.New("task: the cox loss compares all rows, and is for one process")
	case l.Ridge > 0 || l.L1Ratio > 0 || l.Second != nil:
		return errors.New("task: a ridge or a second penalty is for one process")
	case !k.Spectral && (k.BlockGauge == nil || k.Splitter != nil):
		return fmt.Errorf("task: gauge %s is for one process; ranks have the trace norm, l1, group, group-inf and columns",
			l.Gauge.Name())
	}
	return nil
}

// overRanks leaves each rank the features of its rows.
func (l *Linear) overRanks() error {
	if l.Ranks == nil {
		return nil
	}
	for _, r := range []*dataset.Rows{l.Train, l.Test, l.Valid} {
		if r != nil {
			if err := r.OverRanks(l.Ranks); err != nil {
				return err
			}
		}
	}
	return nil
}

// shared checks what is known of shared rows, and settles what ranks find out together: callers may ask one of them alone.
func (l *PreparedLinear) shared() error {
	if l.task.Ranks == nil {
		return nil
	}
	if err := l.task.checkRanks(); err != nil { // the gauge may have become known
		return err
	}
	rows := l.train.spread
	for shard := range rows.Shards() {
		if lo, hi := rows.Shard(shard); lo == hi {
			return fmt.Errorf("%s: has %d training rows, too few for ranks to share: start one process", l.train.Name, rows.Len())
		}
	}
	for _, s := range []*Samples{l.train, l.test, l.valid} {
		if s != nil {
			s.stored, s.checksum = s.Stored(), s.Checksum()
		}
	}
	l.warned = l.warnings()
	return nil
}

// here are the rows lo ≤ i < hi whose features are here.
func (s *Samples) here() (lo, hi int) {
	if s.spread == nil {
		return 0, s.X.Rows
	}
	return s.spread.OwnRows()
}

// ownTasks are those of the rows whose features are here.
func (s *Samples) ownTasks() []int32 {
	lo, hi := s.here()
	return s.Task[lo:hi]
}

// Stored is how many features of all rows are stored.
func (s *Samples) Stored() int {
	if s.stored > 0 {
		return s.stored
	}
	return s.spread.Comm().Count(len(s.X.Dense) + len(s.X.Values))
}

// sum overwrites sums with what f adds to them for some rows of x, the features of all that are here; first is the number of the
// first of them. It is a sum over the ranks that share the rows.
func (s *Samples) sum(x *dataset.Matrix, sums []float64, f func(x *dataset.Matrix, first int, sums []float64)) {
	if s.spread == nil {
		clear(sums)
		f(x, 0, sums)
		return
	}
	begin, _ := s.here()
	cluster.Sum(s.spread, sums, func(shard int, part []float64) {
		lo, hi := s.spread.Shard(shard)
		some := &dataset.Matrix{Rows: hi - lo, Cols: x.Cols, Index: x.Index, Values: x.Values}
		if x.Dense != nil {
			some.Dense = x.Dense[(lo-begin)*x.Cols : (hi-begin)*x.Cols]
		} else {
			some.Ptr = x.Ptr[lo-begin : hi-begin+1]
		}
		clear(part)
		f(some, lo, part)
	})
}

// evenly are the dense features of n of the rows, evenly spread.
func (s *Samples) evenly(n int) [][]float64 {
	lo, hi := s.here()
	var rows [][]float64
	for k := range n {
		if i := k * s.Rows() / n; lo <= i && i < hi {
			rows = append(rows, s.X.Dense[(i-lo)*s.X.Cols:(i-lo+1)*s.X.Cols])
		}
	}
	if ranks := s.spread.Comm(); ranks.Size() > 1 {
		rows = slices.Collect(slices.Chunk(cluster.Joined(ranks, slices.Concat(rows...)), s.X.Cols))
	}
	return rows
}

// offsets are those of sparse features, among those of all ranks.
func (s *Samples) offsets() []int64 {
	ranks := s.spread.Comm()
	if ranks.Size() == 1 || s.X.Dense != nil {
		return s.X.Ptr
	}
	before := int64(0)
	for _, of := range cluster.All(ranks, []int64{int64(len(s.X.Values))})[:ranks.Rank()] {
		before += of[0]
	}
	ptr := slices.Clone(s.X.Ptr)
	for i := range ptr {
		ptr[i] += before
	}
	if ranks.Rank() > 0 { // its first is the last of the rank before
		ptr = ptr[1:]
	}
	return ptr
}

// addShared is addNumbers of a list of which each rank has a part, in their order: one after the other adds its own.
func addShared[T float64 | int32 | int64](sum *xxhash.Digest, ranks *cluster.Comm, v []T) {
	sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(ranks.Count(len(v)))))
	if ranks.Size() == 1 {
		addBytes(sum, v)
		return
	}
	for rank := range ranks.Size() {
		var state []byte
		if rank == ranks.Rank() {
			addBytes(sum, v)
			state, _ = sum.MarshalBinary() // which has no error
		}
		if err := sum.UnmarshalBinary([]byte(cluster.Texts(ranks, string(state))[rank])); err != nil {
			panic(err) // it is the state of such a sum
		}
	}
}

// ownLoss is the loss of the training rows of this rank, with weights of all observations, of all rows in classification; nil is
// 1. A mean is over the observations of all ranks: they weigh 1/N.
func (l *PreparedLinear) ownLoss(omega []float64) gcg.Loss {
	lo, hi := l.train.here()
	classes, wide, total := l.task.Kind == Classification, len(l.train.Y)/l.train.Rows(), len(l.train.Y)
	if classes {
		if wide, total = 1, len(l.train.Class); l.task.Loss.Kind != Logistic {
			total *= len(l.schema.Outputs)
		}
	}
	if omega != nil {
		omega = slices.Clone(omega[lo*wide : hi*wide])
	}
	if l.task.mean() {
		if omega == nil {
			omega = slices.Repeat([]float64{1}, (hi-lo)*wide)
		}
		kernel.Scale(1/float64(total), omega)
	}
	if classes {
		return l.task.Loss.ofClasses(l.train.Class[lo:hi], len(l.schema.Outputs), omega, false)
	}
	return l.task.Loss.Of(l.train.Y[lo*wide:hi*wide], omega, false, wide)
}

// each is how many predictions a row has.
func (l *PreparedLinear) each() int {
	if l.task.Kind == MultiTask {
		return 1
	}
	return len(l.schema.Outputs)
}

// ofAll are the predictions of all rows, so many each, from those of the rows whose features are here.
func (s *Samples) ofAll(z []float64, each int) []float64 {
	if s.spread.Comm().Size() == 1 {
		return z
	}
	lo, _ := s.here()
	all := make([]float64, s.Rows()*each)
	copy(all[lo*each:], z)
	cluster.Fill(s.spread, all, each)
	return all
}
