package reproduce

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// found are the paths of a case's real files, and what to say of them: names and the first digits of their checksums. There are
// none where one of them is missing.
func (c *Case) found(at place) (paths []string, data string, err error) {
	if paths, data, err = c.Source.found(at.folder); len(paths) > 0 || err != nil || c.Or == nil {
		return paths, data, err
	}
	return c.Or.found(at.folder)
}

func (s Source) found(folder string) (paths []string, data string, err error) {
	if folder == "" || len(s.Files) == 0 {
		return nil, "", nil
	}
	var said []string
	for _, name := range s.Files {
		name = filepath.Join(s.Data, name)
		sum, err := checksum(filepath.Join(folder, name))
		if os.IsNotExist(err) {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", err
		}
		paths = append(paths, filepath.Join(folder, name))
		said = append(said, fmt.Sprintf("%s (sha256 %s…)", filepath.ToSlash(name), sum[:12]))
	}
	return paths, strings.Join(said, ", "), nil
}

// wanted are the first of the real files, wherever they may be.
func (c *Case) wanted() string {
	name := path.Join(c.Data, c.Files[0])
	if c.Or != nil {
		name += " or " + path.Join(c.Or.Data, c.Or.Files[0])
	}
	return name
}

// checksum is the SHA-256 of a file.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// sizes are those of data.
func sizes(rows, cols, train, test int) map[string]float64 {
	return map[string]float64{"rows": float64(rows), "cols": float64(cols), "train": float64(train), "test": float64(test)}
}

// completion is ratings less their mean under the trace norm [Yu17 eq 51]: of the files of train and test, of one file that is
// cut user by user with the setting per_user, or generated.
func completion(ctx context.Context, c *Case, at place) (*built, error) {
	paths, data, err := c.found(at)
	if err != nil {
		return nil, err
	}
	b := &built{data: data, real: len(paths) > 0, score: "RMSE"}
	t := &task.Completion{Center: dataset.GlobalMean, Weights: task.Weights{Rule: task.NoWeights}, Seed: at.seed}
	perUser := c.setting("per_user", 0)
	switch {
	case b.real:
		if t.Train, err = readRatings(dataset.RatingsReader{}, paths[0]); err != nil {
			return nil, err
		}
		if len(paths) > 1 {
			again := dataset.RatingsReader{RowIDs: t.Train.RowIDs, ColIDs: t.Train.ColIDs}
			if t.Test, err = readRatings(again, paths[1]); err != nil {
				return nil, err
			}
		}
	default:
		g, err := shaped(c.Shape, at)
		if err != nil {
			return nil, err
		}
		if t.Train, err = g.Ratings(); err != nil {
			return nil, err
		}
		b.data = fmt.Sprintf("generated: %d ratings, %d × %d, of the shape of %s", g.N, g.Rows, g.Cols, g.Name)
	}
	if t.Test == nil {
		t.Split = dataset.Split{Fraction: c.setting("split", 0.75), Seed: at.seed}
		if perUser > 0 {
			t.Split = dataset.Split{PerUser: perUser, Seed: at.seed}
		}
	}
	prepared, err := t.Prepare()
	if err != nil {
		return nil, err
	}
	f, err := prepared.Whole()
	if err != nil {
		return nil, err
	}
	b.contest = contestOf(f, func(m selection.Measured) map[string]float64 {
		r := m.(*task.RatingScores)
		return map[string]float64{"RMSE": r.RMSE(), "NMAE": r.NMAE}
	})
	if perUser > 0 {
		b.score = "NMAE"
	}
	m, n, nobs := f.Problem.Operator.Dims()
	b.numbers = sizes(m, n, nobs, len(prepared.Test().Values))
	return b, c.lambdaOf(ctx, b, b.linear)
}

// readRatings reads a file.
func readRatings(r dataset.RatingsReader, path string) (*dataset.Ratings, error) {
	src, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return r.Read(src, path)
}

// linear gives the contest the penalty λκ.
func (b *built) linear(lambda float64) { b.contest.Problem.Penalty = gauge.Linear{Lambda: lambda} }

// shaped is a generator of ratings of a fraction of its size.
func shaped(name string, at place) (g dataset.Generator, err error) {
	for _, g = range dataset.Shapes {
		if g.Name == name {
			g = g.Sized(max(int(at.scale*float64(g.N)), g.LeastSized()))
			g.Seed = at.seed
			return g, g.Check()
		}
	}
	return g, fmt.Errorf("no shape of ratings is called %q", name)
}

// contestOf is that of a fitting, its penalty open.
func contestOf(f *selection.Fitting, scores func(selection.Measured) map[string]float64) *experiment.Contest {
	p := *f.Problem
	c := &experiment.Contest{Problem: &p}
	if f.Measure != nil {
		c.Measure = func(s *gcg.State) map[string]float64 { return scores(f.Measure(s)) }
	}
	return c
}

// classes is multinomial logistic regression under the trace norm, the loss a mean, on Gaussians of the settings features,
// signal, classes, per_class, correlation and deviation or separation.
func classes(ctx context.Context, c *Case, at place) (*built, error) {
	scaled := func(name string, least int) int { return max(least, int(math.Round(at.scale*c.setting(name, 0)))) }
	g := synthetic.Gaussians{Name: c.Name, Features: scaled("features", 10), Classes: scaled("classes", 5),
		PerClass: int(c.setting("per_class", 10)), Correlation: c.setting("correlation", 0.5), Deviation: c.setting("deviation", 2),
		Separation: c.setting("separation", 0), Seed: at.seed}
	g.Signal = min(g.Features, max(2, int(c.setting("signal", 0.2)*float64(g.Features))))
	if g.Separation > 0 {
		g.Deviation = 0
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	var parts [2]*dataset.Rows
	for k := range parts {
		var err error
		if parts[k], err = rowsOf(g, uint64(k)); err != nil {
			return nil, err
		}
	}
	l := &task.Linear{Kind: task.Classification, Train: parts[0], Test: parts[1], Seed: at.seed, Normalize: task.Mean}
	b, err := linearOf(l, "error rate")
	if err != nil {
		return nil, err
	}
	b.data = fmt.Sprintf("generated: %d classes of %d rows each, %d features, and as many rows to test on", g.Classes, g.PerClass,
		g.Features)
	return b, c.lambdaOf(ctx, b, b.linear)
}

// rowsOf are a sample of Gaussians.
func rowsOf(g synthetic.Gaussians, sample uint64) (*dataset.Rows, error) {
	x, class, err := g.Samples(sample)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(class))
	labels := make([]string, len(class))
	for i := range rows {
		rows[i], labels[i] = x[i*g.Features:(i+1)*g.Features], fmt.Sprint(class[i])
	}
	r, err := dataset.NewRows(rows)
	if err == nil {
		r.Labels = labels
	}
	return r, err
}

// linearOf is the contest of rows with features.
func linearOf(l *task.Linear, score string) (*built, error) {
	prepared, err := l.Prepare()
	if err != nil {
		return nil, err
	}
	f, err := prepared.Whole()
	if err != nil {
		return nil, err
	}
	train, test := prepared.Samples()
	numbers := sizes(l.Train.X.Cols, len(prepared.Schema().Outputs), train.Rows(), 0)
	if test != nil {
		numbers["test"] = float64(test.Rows())
	}
	return &built{score: score, numbers: numbers, contest: contestOf(f, func(m selection.Measured) map[string]float64 {
		all := map[string]float64{}
		for _, s := range m.Scores() {
			all[s.Name] = s.Value
		}
		return all
	})}, nil
}

// tasks is the tasks of school, with the squared loss, or preferences between pairs of profiles, each person a task with the
// logistic loss [Dudik12 §4.2]: those of conjoint, or generated ones of persons with a low-rank truth.
func tasks(ctx context.Context, c *Case, at place) (*built, error) {
	paths, data, err := c.found(at)
	if err != nil {
		return nil, err
	}
	l := &task.Linear{Kind: task.MultiTask, Split: c.setting("split", 0.75), Seed: at.seed, Normalize: task.Mean}
	score := "RMSE"
	switch {
	case c.Shape == "preferences":
		score, l.Loss = "error rate", task.Loss{Kind: task.Logistic}
		var profiles, ratings *dataset.Matrix
		if len(paths) > 0 {
			if profiles, err = dataset.ReadMatrix(paths[0], nil); err == nil {
				ratings, err = dataset.ReadMatrix(paths[1], nil)
			}
			if err != nil {
				return nil, err
			}
			if profiles, err = indicators(profiles); err != nil {
				return nil, err
			}
		} else {
			profiles, ratings = preferences(c, at)
			data = fmt.Sprintf("generated: %d persons, %d profiles of %d features", ratings.Rows, profiles.Rows, profiles.Cols)
		}
		l.Train, err = pairs(profiles, ratings, int(c.setting("pairs", 8)), at.seed)
	case len(paths) > 0:
		l.Train, err = dataset.RowsReader{}.TaskTable(paths[0], "task", "y")
	default:
		l.Train, err = generatedTasks(c, at)
		data = fmt.Sprintf("generated: %d rows of %d tasks, %d features", l.Train.X.Rows, len(l.Train.Tasks), l.Train.X.Cols)
	}
	if err != nil {
		return nil, err
	}
	b, err := linearOf(l, score)
	if err != nil {
		return nil, err
	}
	b.data, b.real = data, len(paths) > 0
	return b, c.lambdaOf(ctx, b, b.linear)
}

// lowRank is a matrix of normal entries of a rank, over its square root.
func lowRank(rng *rand.Rand, rows, cols, rank int) []float64 {
	u, v := normals(rng, rows*rank), normals(rng, cols*rank)
	w := make([]float64, rows*cols)
	for i := range rows {
		for j := range cols {
			for k := range rank {
				w[i*cols+j] += u[i*rank+k] * v[j*rank+k] / math.Sqrt(float64(rank))
			}
		}
	}
	return w
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// generatedTasks are rows of tasks with weights of rank 3, of the settings tasks, features, rows and noise.
func generatedTasks(c *Case, at place) (*dataset.Rows, error) {
	rng := rand.New(rand.NewPCG(at.seed, 0x7a5c))
	n := max(5, int(at.scale*c.setting("tasks", 139)))
	d, count := int(c.setting("features", 28)), max(50, int(at.scale*c.setting("rows", 15362)))
	w := lowRank(rng, n, d, 3)
	x, y, names := make([][]float64, count), make([]float64, count), make([]string, count)
	for i := range x {
		t := i % n
		x[i], names[i] = normals(rng, d), fmt.Sprint(t)
		y[i] = c.setting("noise", 3) * rng.NormFloat64()
		for j, v := range x[i] {
			y[i] += v * w[t*d+j]
		}
	}
	r, err := dataset.NewRows(x)
	if err != nil {
		return nil, err
	}
	if err := r.SetTasks(names); err != nil {
		return nil, err
	}
	return r, r.SetTargets(y)
}

// indicators writes columns of few different numbers as one column for each number but the first.
func indicators(m *dataset.Matrix) (*dataset.Matrix, error) {
	if err := m.Densify("profiles"); err != nil {
		return nil, err
	}
	var columns [][]float64
	for j := range m.Cols {
		seen := map[float64]bool{m.Dense[j]: true}
		for i := range m.Rows {
			v := m.Dense[i*m.Cols+j]
			if seen[v] {
				continue
			}
			seen[v] = true
			column := make([]float64, m.Rows)
			for k := range column {
				if m.Dense[k*m.Cols+j] == v {
					column[k] = 1
				}
			}
			columns = append(columns, column)
		}
	}
	x := &dataset.Matrix{Rows: m.Rows, Cols: len(columns), Dense: make([]float64, m.Rows*len(columns))}
	for j, column := range columns {
		for i, v := range column {
			x.Dense[i*x.Cols+j] = v
		}
	}
	return x, nil
}

// preferences are profiles and what persons think of them, of the settings persons, profiles and features.
func preferences(c *Case, at place) (profiles, ratings *dataset.Matrix) {
	rng := rand.New(rand.NewPCG(at.seed, 0xc0))
	persons := max(20, int(at.scale*c.setting("persons", 180)))
	n, d := int(c.setting("profiles", 20)), int(c.setting("features", 13))
	profiles = &dataset.Matrix{Rows: n, Cols: d, Dense: make([]float64, n*d)}
	for i := range profiles.Dense {
		profiles.Dense[i] = float64(rng.IntN(2))
	}
	w := lowRank(rng, persons, d, 3)
	ratings = &dataset.Matrix{Rows: persons, Cols: n, Dense: make([]float64, persons*n)}
	for p := range persons {
		for i := range n {
			x := rng.NormFloat64()
			for j := range d {
				x += w[p*d+j] * profiles.Dense[i*d+j]
			}
			ratings.Dense[p*n+i] = x
		}
	}
	return profiles, ratings
}

// pairs are differences of profiles that a person rates differently, each with the sign of the difference: so many of a person.
func pairs(profiles, ratings *dataset.Matrix, each int, seed uint64) (*dataset.Rows, error) {
	rng := rand.New(rand.NewPCG(seed, 0x9a17))
	var x [][]float64
	var y []float64
	var names []string
	for p := range ratings.Rows {
		count := 0
		for tries := 0; count < each && tries < 50*each; tries++ {
			i, k := rng.IntN(profiles.Rows), rng.IntN(profiles.Rows)
			d := ratings.Dense[p*ratings.Cols+i] - ratings.Dense[p*ratings.Cols+k]
			if d == 0 {
				continue
			}
			row := make([]float64, profiles.Cols)
			for j := range row {
				row[j] = profiles.Dense[i*profiles.Cols+j] - profiles.Dense[k*profiles.Cols+j]
			}
			x, y, names = append(x, row), append(y, math.Copysign(1, d)), append(names, fmt.Sprint(p))
			count++
		}
	}
	r, err := dataset.NewRows(x)
	if err != nil {
		return nil, err
	}
	if err := r.SetTasks(names); err != nil {
		return nil, err
	}
	return r, r.SetTargets(y)
}
