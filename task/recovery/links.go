package recovery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
)

// A Graph is the task of finding the missing links of an undirected graph. Its adjacency matrix A, with a weight of each edge or
// 1, is observed whole, and recovered as
//
//	minimise over X   mean of ½(A_ij - X_ij)² + λ₁‖X‖₁ + λ‖X‖_*
//
// Pairs that are no edges are ranked by the low-rank part. With λ₁ = 0 that is best: an ℓ1 norm makes ties at 0.
type Graph struct {
	Edges *dataset.Ratings // pairs of nodes; their values are weights, or not there
	Test  *dataset.Ratings // links to be ranked above the other pairs that are no edges; may be nil
	Split float64          // a part of the edges to keep, the others are Test; 0 keeps all

	L1   float64 // λ₁ ≥ 0
	Seed uint64
}

// A PreparedGraph is a graph whose nodes are numbered. It is a [selection.Source], and serves any number of fits: it never
// changes, whatever becomes of the graph that it is made of.
type PreparedGraph struct {
	Nodes   *dataset.IDs
	Loops   int // edges of a node with itself, which are left out
	Unknown int // pairs of Test whose nodes the graph does not have

	graph    *Graph
	from, to []int32 // edges, from < to
	weight   []float64
	test     [][2]int32
}

// mostNodes is how many the dense matrices of the task are made for: four of them take 8 GB.
const mostNodes = 1 << 14

// A GraphResult is a recovered graph.
type GraphResult struct {
	*task.Solution
	Model    *model.Model
	Links    []Link
	Ranked   Ranked // of Test; its AUC is NaN without
	Warnings []task.Warning
}

// A Link is a pair of nodes that is no edge, with what X has there.
type Link struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Score float64 `json:"score"`
}

// Prepare numbers the nodes. It refuses edges that are given twice in the same direction, unless they weigh the same in both, and
// graphs of more than mostNodes.
func (g *Graph) Prepare() (*PreparedGraph, error) {
	if g.Edges == nil || g.Edges.Len() == 0 {
		return nil, errors.New("recovery: a Graph needs Edges")
	}
	if !(g.Split >= 0 && g.Split < 1) {
		return nil, fmt.Errorf("task: Split is %v; it is a part of the edges between 0 and 1, 0 for all", g.Split)
	}
	if !(g.L1 >= 0) || math.IsInf(g.L1, 1) {
		return nil, fmt.Errorf("task: the weight λ₁ of the ℓ1 norm is %v; it is a finite number, 0 or more", g.L1)
	}
	if err := g.Edges.Check(g.Test); err != nil {
		return nil, err
	}
	of := *g
	p := &PreparedGraph{Nodes: dataset.NewIDs(g.Edges.RowIDs.Texts()), graph: &of}
	for _, text := range g.Edges.ColIDs.Texts() {
		p.Nodes.Add([]byte(text))
	}
	if n := p.Nodes.Len(); n > mostNodes {
		return nil, fmt.Errorf("%s: has %d nodes, and links are ranked among %d at most, by dense matrices of them", g.Edges.Name, n,
			mostNodes)
	}
	if err := p.collect(); err != nil {
		return nil, err
	}
	return p, p.divide()
}

// collect lists the edges, each once.
func (p *PreparedGraph) collect() error {
	g := p.graph
	r := g.Edges.By(p.Nodes, p.Nodes)
	at := map[[2]int32]int{}
	given := map[[2]int32]bool{} // in this direction
	for e, i := range r.Rows {
		j, w := r.Cols[e], 1.0
		if !r.NoValues {
			w = r.Values[e]
		}
		if given[[2]int32{i, j}] {
			return fmt.Errorf("%s: the edge from %q to %q stands twice; leave one out", place(g.Edges, e), p.Nodes.Text(int(i)),
				p.Nodes.Text(int(j)))
		}
		given[[2]int32{i, j}] = true
		if i == j {
			p.Loops++
			continue
		}
		pair := [2]int32{min(i, j), max(i, j)}
		if first, twice := at[pair]; twice {
			if p.weight[first] != w {
				return fmt.Errorf("%s: the edge of %q and %q weighs %v in one direction and %v in the other: give one", place(g.Edges, e),
					p.Nodes.Text(int(i)), p.Nodes.Text(int(j)), p.weight[first], w)
			}
			continue
		}
		at[pair] = len(p.from)
		p.from, p.to, p.weight = append(p.from, pair[0]), append(p.to, pair[1]), append(p.weight, w)
	}
	if len(p.from) == 0 {
		return fmt.Errorf("%s: has loops alone, and no edge of two nodes", g.Edges.Name)
	}
	return nil
}

// divide sets a part of the edges apart, and numbers those of Test.
func (p *PreparedGraph) divide() error {
	g := p.graph
	if g.Split > 0 {
		keep, out, err := dataset.Split{Fraction: g.Split, Seed: g.Seed}.Parts(&dataset.Ratings{Name: g.Edges.Name, Values: p.weight})
		if err != nil {
			return err
		}
		for _, e := range out {
			p.test = append(p.test, [2]int32{p.from[e], p.to[e]})
		}
		p.from, p.to, p.weight = chosen(p.from, keep), chosen(p.to, keep), chosen(p.weight, keep)
		return nil
	}
	if g.Test == nil {
		return nil
	}
	edges := p.edges()
	r := g.Test.By(p.Nodes, p.Nodes)
	for e, i := range r.Rows {
		j := r.Cols[e]
		if i < 0 || j < 0 {
			p.Unknown++
			continue
		}
		pair := [2]int32{min(i, j), max(i, j)}
		if i == j || edges[pair] {
			return fmt.Errorf("%s: %q and %q are an edge of the graph, or one node: a link to be found is neither", place(g.Test, e),
				p.Nodes.Text(int(i)), p.Nodes.Text(int(j)))
		}
		p.test = append(p.test, pair)
	}
	if len(p.test) == 0 {
		return fmt.Errorf("%s: none of its links is of nodes that the graph has", g.Test.Name)
	}
	return nil
}

// edges is the set of edges.
func (p *PreparedGraph) edges() map[[2]int32]bool {
	set := make(map[[2]int32]bool, len(p.from))
	for e, i := range p.from {
		set[[2]int32{i, p.to[e]}] = true
	}
	return set
}

// Count is the number of edges that are kept.
func (p *PreparedGraph) Count() int { return len(p.from) }

// chosen are the elements at the given places.
func chosen[T any](x []T, at []int32) []T {
	y := make([]T, len(at))
	for i, e := range at {
		y[i] = x[e]
	}
	return y
}

// Whole is the problem of all edges, measured on Test.
func (p *PreparedGraph) Whole() (*selection.Fitting, error) { return p.fittingOf(nil, p.test) }

// Validation is the problem without a tenth of the edges, which are to be ranked above other pairs.
func (p *PreparedGraph) Validation() (*selection.Fitting, error) { return p.Fold(0, 10) }

// Fold is the problem without part k of n of the edges, which are to be ranked above other pairs.
func (p *PreparedGraph) Fold(k, n int) (*selection.Fitting, error) {
	folds, err := dataset.Folds(len(p.from), n, p.graph.Seed)
	if err != nil || n < 2 || n > len(folds) {
		return nil, fmt.Errorf("%s: %w edges for %d folds", p.graph.Edges.Name, task.ErrTooFew, n)
	}
	hidden := make([]bool, len(folds))
	var links [][2]int32
	for e, at := range folds {
		if hidden[e] = at == k; hidden[e] {
			links = append(links, [2]int32{p.from[e], p.to[e]})
		}
	}
	return p.fittingOf(hidden, links)
}

// fittingOf is the problem without hidden edges, nil for none, measured on links.
func (p *PreparedGraph) fittingOf(hidden []bool, links [][2]int32) (*selection.Fitting, error) {
	n := p.Nodes.Len()
	y := make([]float64, n*n)
	for e, i := range p.from {
		if hidden == nil || !hidden[e] {
			j := p.to[e]
			y[int(i)*n+int(j)], y[int(j)*n+int(i)] = p.weight[e], p.weight[e]
		}
	}
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		return nil, err
	}
	f := &selection.Fitting{Share: 1, Problem: &gcg.Problem{Operator: op, Gauge: gauge.Trace{},
		Loss: &loss.WithL1{Loss: &loss.Squared{Y: y, Mean: true}, Lambda: p.graph.L1}}}
	if len(links) > 0 {
		f.Measure = func(s *gcg.State) selection.Measured { return p.rank(s.W, links) }
	}
	return f, nil
}

// Method is splitting, whose iterate is of low rank.
func (g *Graph) Method(*gcg.Problem) (solver.Method, solver.Improver) {
	return &recovery.Splitting{LowRank: true}, nil
}

// Fit chooses λ where none is given, solves, and lists the best links. Errors are those of Prepare and task.Solve.
func (g *Graph) Fit(ctx context.Context, opt task.Options, links int) (*GraphResult, error) {
	if links < 0 {
		return nil, fmt.Errorf("task: %d links are asked for; it is a number of the best ones, 0 for none", links)
	}
	p, err := g.Prepare()
	if err != nil {
		return nil, err
	}
	if opt.Method == nil {
		opt.Method = g.Method
	}
	s, cut := task.Solve(ctx, p, opt) // by the end of ctx, which leaves the best so far
	if s == nil {
		return nil, cut
	}
	w := s.Result.State.W
	res := &GraphResult{Solution: s, Links: p.Best(w, links), Ranked: p.rank(w, p.test), Warnings: s.Warnings}
	if res.Model, err = p.Model(s.Fitting, s.Result); err != nil {
		return nil, err
	}
	return res, cut
}

// Model makes the model of a result of a fitting.
func (p *PreparedGraph) Model(f *selection.Fitting, r *solver.Result) (*model.Model, error) {
	m, err := model.Of("recovery", r.State.W)
	if err != nil {
		return nil, err
	}
	g := p.graph
	m.RowIDs, m.ColIDs = p.Nodes.Texts(), p.Nodes.Texts()
	m.Info = task.InfoOf(f, r, true)
	m.Info.Seed, m.Info.Observations, m.Info.Loss, m.Info.Gauge = g.Seed, len(p.from), "squared", "trace"
	m.Info.Data, m.Info.Checksum = g.Edges.Name, g.Edges.Checksum
	return m, nil
}

// scoresOf are X_ij of row i, symmetric but for rounding.
func scoresOf(dst []float64, w *gcg.Iterate, i int) {
	clear(dst)
	if w.Rank() > 0 {
		for j := range dst {
			dst[j] = kernel.Dot(w.U.Row(i), w.V.Row(j))
		}
	}
}

// Best are the pairs that are no edges with the largest scores, best first.
func (p *PreparedGraph) Best(w *gcg.Iterate, count int) []Link {
	type scored struct {
		i, j int
		x    float64
	}
	var top []scored
	worse := func(a, b scored) int {
		switch {
		case a.x > b.x:
			return -1
		case a.x < b.x:
			return 1
		case a.i != b.i:
			return a.i - b.i
		}
		return a.j - b.j
	}
	edges, n := p.edges(), p.Nodes.Len()
	row := make([]float64, n)
	for i := range n {
		scoresOf(row, w, i)
		for j := i + 1; j < n; j++ {
			if row[j] > 0 && !edges[[2]int32{int32(i), int32(j)}] {
				top = append(top, scored{i, j, row[j]})
			}
		}
		if len(top) > 2*count+n {
			slices.SortFunc(top, worse)
			top = top[:min(count, len(top))]
		}
	}
	slices.SortFunc(top, worse)
	count = max(0, min(count, len(top)))
	links := make([]Link, 0, count)
	for _, s := range top[:count] {
		links = append(links, Link{p.Nodes.Text(s.i), p.Nodes.Text(s.j), s.x})
	}
	return links
}
