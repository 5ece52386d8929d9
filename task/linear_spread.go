package task

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
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

// spread cuts the training rows into shards of about equal numbers of features that are stored.
func (l *PreparedLinear) spread() (err error) {
	if l.task.Ranks == nil {
		return nil
	}
	if err := l.task.checkRanks(); err != nil { // the gauge may have become known
		return err
	}
	x := l.train.X
	counts := slices.Repeat([]int64{int64(x.Cols)}, x.Rows)
	if x.Dense == nil {
		for i := range counts {
			counts[i] = 1 + x.Ptr[i+1] - x.Ptr[i]
		}
	}
	if l.rows, err = cluster.Spread(l.task.Ranks, counts); err != nil {
		return fmt.Errorf("%s: %w", l.train.Name, err)
	}
	for shard := range l.rows.Shards() {
		if lo, hi := l.rows.Shard(shard); lo == hi {
			return fmt.Errorf("%s: has %d training rows, too few for ranks to share: start one process", l.train.Name, x.Rows)
		}
	}
	return nil
}

// ownLoss is the loss of the training rows of this rank, with weights of all observations, of all rows in classification; nil is
// 1. A mean is over the observations of all ranks: they weigh 1/N.
func (l *PreparedLinear) ownLoss(omega []float64) gcg.Loss {
	lo, hi := l.rows.OwnRows()
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

// ofAll are the predictions of all training rows, from those of this rank.
func (l *PreparedLinear) ofAll(z []float64) []float64 {
	if l.rows == nil {
		return z
	}
	lo, hi := l.rows.OwnRows()
	each := len(z) / (hi - lo)
	all := make([]float64, l.train.Rows()*each)
	copy(all[lo*each:], z)
	cluster.Fill(l.rows, all, each)
	return all
}
