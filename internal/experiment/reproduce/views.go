package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/bcd"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	noisy "github.com/seed-b18ef778/gcg/internal/experiment/views"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	splitting "github.com/seed-b18ef778/gcg/solver/views"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// descent is a contender of several views: bcd:t, or one of experiment.Named. gcg:dictionary is conditional gradient with both
// factors improved at fixed rank, as [Yu17 Algorithm 3] has it.
func descent(word string) (experiment.Contender, error) {
	if t, is := strings.CutPrefix(word, "bcd:"); is {
		size, err := strconv.Atoi(t)
		return experiment.Method(word, func(*gcg.Problem) (solver.Method, solver.Improver) {
			return &bcd.Method{Size: size}, nil
		}), err
	}
	switch word {
	case "splitting":
		return experiment.Method(word, func(*gcg.Problem) (solver.Method, solver.Improver) {
			return &splitting.Splitting{}, nil
		}), nil
	case "gcg:dictionary":
		return experiment.Method(word, func(*gcg.Problem) (solver.Method, solver.Improver) {
			return &conditional.GCG{}, &splitting.Dictionary{}
		}), nil
	}
	return experiment.Named(word)
}

// denoising is two generated views with gross noise [Yu17 §5.3.1]; the test score is ‖W - W₀‖².
func denoising(_ context.Context, c *Case, at place) (*built, error) {
	g := synthetic.Denoising
	for _, n := range []*int{&g.Rows1, &g.Rows2, &g.Cols} {
		*n = max(10, int(math.Round(at.scale*float64(*n))))
	}
	g.Rank, g.Seed = max(2, int(math.Round(at.scale*float64(g.Rank)))), at.seed
	d, err := noisy.Synthetic(g)
	if err != nil {
		return nil, err
	}
	lambda := c.Lambda * math.Sqrt(at.scale) // σ₁ of noise grows as √n
	b, err := denoised(d, lambda)
	if err != nil {
		return nil, err
	}
	b.real = at.scale == 1 // the paper's own data are generated
	b.data = fmt.Sprintf("generated: views of %d and %d features, %d samples, rank %d; λ = %.4g", g.Rows1, g.Rows2, g.Cols, g.Rank,
		lambda)
	return b, nil
}

// denoised is the contest of noisy views at λ.
func denoised(d *noisy.Denoising, lambda float64) (*built, error) {
	p, err := experiment.ProblemOf(d.Task.Prepare, gauge.Linear{Lambda: lambda})
	if err != nil {
		return nil, err
	}
	m, n, nobs := p.Operator.Dims()
	numbers := sizes(m, n, nobs, 0)
	numbers["noise"] = d.Noise()
	return &built{named: descent, score: "squared error", numbers: numbers, contest: &experiment.Contest{Problem: p,
		Measure: func(s *gcg.State) map[string]float64 {
			return map[string]float64{"squared error": d.SquaredError(s.Z)}
		}}}, nil
}

// faces are two lights of each person [Yu17 §5.3.2], or generated pictures: smooth blobs under two directions of light.
func faces(_ context.Context, c *Case, at place) (*built, error) {
	paths, data, err := c.found(at)
	if err != nil {
		return nil, err
	}
	var images *dataset.Matrix
	var subjects []string
	if len(paths) > 0 {
		if images, err = dataset.ReadMatrix(paths[0], nil); err == nil {
			subjects, err = dataset.ReadLabels(paths[1], nil, images.Rows)
		}
	} else {
		images, subjects = pictures(at)
		data = fmt.Sprintf("generated: pictures of %d pixels of %d people under two lights", images.Cols, images.Rows/64)
	}
	if err != nil {
		return nil, err
	}
	d, err := noisy.Faces(images, subjects, [2]int{0, 5}, at.seed)
	if err != nil {
		return nil, err
	}
	b, err := denoised(d, c.Lambda)
	if err == nil {
		b.data, b.real = data, len(paths) > 0
	}
	return b, err
}

// pictures are 64 of each person, of pixels from 0 to 255: a person is a few smooth features, and a light weighs them.
func pictures(at place) (*dataset.Matrix, []string) {
	side, people := max(12, int(math.Sqrt(at.scale)*32)), max(10, int(at.scale*31))
	rng := rand.New(rand.NewPCG(at.seed, 0xb10b5))
	const features, lights = 5, 64
	blobs := make([]float64, features*side*side)
	for k := range features {
		cx, cy, wide := rng.Float64()*float64(side), rng.Float64()*float64(side), float64(side)*(0.15+0.25*rng.Float64())
		for i := range side {
			for j := range side {
				dx, dy := (float64(i)-cx)/wide, (float64(j)-cy)/wide
				blobs[(k*side+i)*side+j] = math.Exp(-(dx*dx + dy*dy) / 2)
			}
		}
	}
	weights := make([]float64, lights*features)
	for i := range weights {
		weights[i] = rng.Float64()
	}
	x := &dataset.Matrix{Rows: people * lights, Cols: side * side, Dense: make([]float64, people*lights*side*side)}
	subjects := make([]string, x.Rows)
	for p := range people {
		person := make([]float64, features)
		for k := range person {
			person[k] = 0.3 + rng.Float64()
		}
		for l := range lights {
			row := p*lights + l
			subjects[row] = fmt.Sprint("person ", p)
			for e := range side * side {
				v := 0.0
				for k := range features {
					v += person[k] * weights[l*features+k] * blobs[k*side*side+e]
				}
				x.Dense[row*x.Cols+e] = math.Round(255 * math.Min(1, v/2))
			}
		}
	}
	return x, subjects
}

// labels are two views of samples with labels as further views [Zhang12 §4]: views of digits, or generated ones.
func labels(_ context.Context, c *Case, at place) (*built, error) {
	paths, data, err := c.found(at)
	if err != nil {
		return nil, err
	}
	t := &views.Task{Scale: views.Standardised, Seed: at.seed, Normalize: task.Mean}
	var texts []string
	count, kinds := int(c.setting("samples", 100)), int(c.setting("classes", 5))
	if len(paths) > 0 {
		for _, path := range paths[:2] {
			x, err := dataset.ReadMatrix(path, nil)
			if err != nil {
				return nil, err
			}
			t.Views = append(t.Views, views.View{Name: path, X: x})
		}
		if texts, err = classesOf(paths[2:], t.Views[0].X.Rows); err != nil {
			return nil, err
		}
		keep := someOf(texts, count, kinds, at.seed)
		for k := range t.Views {
			t.Views[k].X = t.Views[k].X.Subset(keep)
		}
		chosen := make([]string, len(keep))
		for i, row := range keep {
			chosen[i] = texts[row]
		}
		texts = chosen
	} else {
		t.Views, texts = classViews(c, at, count, kinds)
		data = "generated"
	}
	if t.Labels, err = views.LabelClasses("labels", texts); err != nil {
		return nil, err
	}
	p, err := experiment.ProblemOf(t.Prepare, gauge.Linear{Lambda: c.Lambda})
	if err != nil {
		return nil, err
	}
	m, n, nobs := p.Operator.Dims()
	return &built{named: descent, real: false, numbers: sizes(m, n, nobs, 0), contest: &experiment.Contest{Problem: p},
		data: fmt.Sprintf("%s: views of %d and %d features, %d samples, %d labels", data, t.Views[0].X.Cols, t.Views[1].X.Cols,
			len(texts), t.Labels.Width())}, nil
}

// digits are the classes of the data as their owner publishes them: as many rows of each, in order.
const digits = 10

// classesOf are those of a file, or where there is none those of digits in order.
func classesOf(paths []string, rows int) ([]string, error) {
	if len(paths) > 0 {
		return dataset.ReadLabels(paths[0], nil, rows)
	}
	texts := make([]string, rows)
	for i := range texts {
		texts[i] = fmt.Sprint(i * digits / rows)
	}
	return texts, nil
}

// someOf are rows of the first classes, the same number of each, at random.
func someOf(classes []string, count, kinds int, seed uint64) (rows []int32) {
	left := map[string]int{}
	for _, i := range rand.New(rand.NewPCG(seed, 0x5a)).Perm(len(classes)) {
		k := classes[i]
		if _, known := left[k]; !known && len(left) < kinds {
			left[k] = count / kinds
		}
		if left[k] > 0 {
			left[k]--
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// classViews are two views of samples of a few classes, of the settings features_1 and features_2.
func classViews(c *Case, at place, count, kinds int) (all []views.View, texts []string) {
	rng := rand.New(rand.NewPCG(at.seed, 0xf11c))
	for v, name := range []string{"features_1", "features_2"} {
		d := max(5, int(at.scale*c.setting(name, 100)))
		means := normals(rng, kinds*d)
		x := &dataset.Matrix{Rows: count, Cols: d, Dense: normals(rng, count*d)}
		for i := range count {
			for j := range d {
				x.Dense[i*d+j] += means[(i%kinds)*d+j]
			}
		}
		all = append(all, views.View{Name: fmt.Sprintf("view %d", v+1), X: x})
	}
	for i := range count {
		texts = append(texts, fmt.Sprint("class ", i%kinds))
	}
	return all, texts
}
