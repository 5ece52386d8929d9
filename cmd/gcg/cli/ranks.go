package cli

import (
	"context"
	"fmt"

	"github.com/seed-b18ef778/gcg/cluster"
)

// Ranks are the processes that work on one command together. A nil Ranks is a process that is alone.
type Ranks struct {
	*cluster.Comm
	OnHost int // how many are on this machine
}

type ranksKey struct{}

// WithRanks is a context of ranks that work together.
func WithRanks(ctx context.Context, r *Ranks) context.Context {
	return context.WithValue(ctx, ranksKey{}, r)
}

// RanksOf are those of a context, or nil.
func RanksOf(ctx context.Context) *Ranks {
	if ctx == nil { // of a command that is not run
		return nil
	}
	r, _ := ctx.Value(ranksKey{}).(*Ranks)
	return r
}

// CommOf is the ranks of a context, or nil.
func CommOf(ctx context.Context) *cluster.Comm {
	if r := RanksOf(ctx); r != nil {
		return r.Comm
	}
	return nil
}

// ranks are those that work on the command.
func (f *RunFlags) ranks() *Ranks { return RanksOf(f.Cmd.Context()) }

// Comm is the ranks that share the data, or nil.
func (f *RunFlags) Comm() *cluster.Comm { return CommOf(f.Cmd.Context()) }

// onlyFirst leaves what is written to the first rank, but for checkpoints, of which each writes a part.
func (f *RunFlags) onlyFirst() {
	f.fits = f.Model != ""
	if f.Comm().Rank() > 0 {
		f.Model, f.trace, f.live, f.Plot, f.coefficients = "", "", "", "", ""
	}
}

// CheckRanks refuses what ranks do not do together; off are flags that their PROBLEM refuses.
func (f *RunFlags) CheckRanks(off ...string) error {
	if f.ranks() == nil {
		return nil
	}
	name := f.Changed(off)
	switch {
	case name != "":
		return Usagef("--%s: is for one process, and %d ranks were started", name, f.Comm().Size())
	case f.Solver != "gcg" || f.Improve == "corrective" || f.Step != "line-search":
		return Usagef("ranks have --solver gcg, --step line-search, and --improve local or none")
	}
	return nil
}

// A rankResult is what a run over ranks took of the network, for scripts.
type rankResult struct {
	Size int   `json:"size"`
	Sent int64 `json:"bytes_sent"` // by the first rank
}

// noteRanks adds the ranks to a result.
func (f *RunFlags) noteRanks(r *Result) {
	if c := f.Comm(); c != nil {
		r.Ranks = &rankResult{c.Size(), c.Sent()}
		r.Note("ranks", "%s", fmt.Sprintf("%d, the first of which has sent %s", c.Size(), megabytes(c.Sent())))
	}
}

// megabytes is a size for people.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
