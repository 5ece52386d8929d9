package recovery

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

// A graphJob is the task that the flags make of the edges of a graph.
type graphJob struct {
	*recovery.Graph
	*recovery.PreparedGraph
	f *flags
}

// loadGraph reads the edges.
func (f *flags) loadGraph() (cli.Job, error) {
	j := &graphJob{Graph: &recovery.Graph{L1: f.l1, Seed: f.Seed, Split: f.Split}, f: f}
	var err error
	read := dataset.RatingsReader{Columns: f.columns, ValuesOptional: true}
	if j.Edges, err = read.ReadRatings(f.graph); err != nil {
		return nil, err
	}
	if f.test != "" {
		if j.Test, err = read.ReadRatings(f.test); err != nil {
			return nil, err
		}
	}
	if j.PreparedGraph, err = j.Prepare(); err != nil {
		return nil, err
	}
	if err := f.ForeseeMatrices(f.graph, j.Nodes.Len(), j.Nodes.Len(), 2, 28); err != nil {
		return nil, err
	}
	return j, nil
}

// For is the fit of the same data by another solver.
func (j *graphJob) For(l cli.Loader) (cli.Job, error) {
	f, same := l.(*flags)
	if !same {
		return nil, nil
	}
	other := *j
	other.f = f
	return &other, nil
}

func (j *graphJob) Shared() *cli.RunFlags { return &j.f.RunFlags }

func (j *graphJob) Noun() string { return "edges" }

func (j *graphJob) Release() {}

func (j *graphJob) Choosing() string {
	return "choosing λ by a path without a tenth of the edges, which are to be found again (--lambda auto)"
}

// Greet says what was left out.
func (j *graphJob) Greet(show *cli.Progress) {
	if j.Loops > 0 {
		show.Say(fmt.Sprintf("%d edges of a node with itself are left out", j.Loops))
	}
}

// Identity names all that must be the same for a checkpoint to be continued.
func (j *graphJob) Identity(lambda float64) string {
	f := j.f
	return fmt.Sprintf("graph data=%s split=%v,seed=%d λ=%.17g ζ=%.17g λ₁=%.17g %s columns=%s", j.Edges.Checksum, f.Split, f.Seed,
		lambda,
		f.Constrain, f.l1, f.Normalize, f.columns)
}

// Start is where a model of the same nodes is.
func (j *graphJob) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	return startOf(j.f.Warm, m, j.Nodes.Texts(), j.Nodes.Texts())
}

// Answer makes the model and lists the missing links.
func (j *graphJob) Answer(t *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f := j.f
	m, err := j.Model(t, r)
	if err != nil {
		panic(err) // W is of low rank
	}
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	l1 := f.l1
	res.LossName, res.GaugeName, res.L1 = "squared", "trace", &l1
	res.Data, res.Normed = fmt.Sprintf("%d edges of %d nodes", j.Count(), j.Nodes.Len()), "trace norm"
	if j.Unknown > 0 {
		res.Warn(fmt.Sprintf("%d links of --test are of nodes that the graph does not have, and are not ranked", j.Unknown))
	}
	if t.Measure != nil {
		if ranked, ok := t.Measure(r.State).(recovery.Ranked); ok && !math.IsNaN(ranked.AUC) {
			res.Test = ranked
			res.Note("test", "AUC %.4f of %d links against all other pairs", ranked.AUC, ranked.Links)
		}
	}
	links := j.Best(r.State.W, f.top)
	res.Links = links
	for _, l := range links {
		res.Note("link", "%s %s %.4g", l.From, l.To, l.Score)
	}
	if f.links != "" {
		if err := atomicfile.Write(f.links, func(w io.Writer) error { return writeLinks(w, links) }); err != nil {
			res.Lose(err)
		}
	}
	return m
}

// writeLinks writes links as CSV.
func writeLinks(out io.Writer, links []recovery.Link) error {
	w := csv.NewWriter(out)
	w.Write([]string{"from", "to", "score"})
	for _, l := range links {
		w.Write([]string{l.From, l.To, strconv.FormatFloat(l.Score, 'g', -1, 64)})
	}
	w.Flush()
	return w.Error()
}
