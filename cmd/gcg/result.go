package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// result is the answer of fit: the JSON of the command line's contract. What does not apply is left out.
type result struct {
	Problem     string      `json:"problem"`
	Solver      string      `json:"solver"`
	Status      string      `json:"status"`
	Objective   float64     `json:"objective"`
	Loss        float64     `json:"loss"`
	Gauge       float64     `json:"gauge"`
	LowerBound  *float64    `json:"lower_bound,omitempty"`
	Gap         *float64    `json:"gap,omitempty"`
	RelativeGap *float64    `json:"relative_gap,omitempty"`
	Certificate string      `json:"certificate,omitempty"`
	Failure     *float64    `json:"failure_probability,omitempty"`
	Rank        int         `json:"rank"`
	Iterations  int         `json:"iterations"`
	Lambda      *float64    `json:"lambda,omitempty"`
	LambdaAuto  bool        `json:"lambda_auto,omitempty"`
	Constrain   *float64    `json:"constrain,omitempty"`
	Seconds     float64     `json:"seconds"`
	CPU         *float64    `json:"cpu_seconds,omitempty"`
	Read        float64     `json:"read_seconds"`
	Memory      int64       `json:"peak_memory_bytes,omitempty"`
	Normalize   string      `json:"normalize"`
	Center      string      `json:"center,omitempty"`
	Weights     string      `json:"weights,omitempty"`
	Rows        int         `json:"rows"`
	Cols        int         `json:"cols"`
	N           int         `json:"observations"`
	Test        *testResult `json:"test,omitempty"`
	TrainRMSE   *float64    `json:"train_rmse,omitempty"`
	Baselines   *baselines  `json:"baselines,omitempty"`
	Warnings    []string    `json:"warnings"`
}

func newResult(c *completion, s *setup, r *solver.Result, lambda float64, auto bool) *result {
	cert := r.State.Cert
	res := &result{Problem: "completion", Solver: "gcg", Status: string(r.Status), Objective: cert.Objective, Loss: r.State.Loss,
		Gauge: r.State.Rho, Rank: r.State.W.Rank(), Iterations: r.Iter, Seconds: r.Elapsed.Seconds(), Read: c.read.Seconds(),
		Normalize: c.f.normalize, Center: c.f.center, Weights: c.f.weights, Rows: s.data.M, Cols: s.data.N, N: s.count(),
		LambdaAuto: auto, Warnings: append([]string{}, r.Warnings...)}
	if r.CPU > 0 {
		cpu := r.CPU.Seconds()
		res.CPU = &cpu
	}
	if lambda > 0 {
		res.Lambda = &lambda
	}
	if c.f.constrain > 0 {
		res.Constrain = &c.f.constrain
	}
	if !math.IsInf(cert.LowerBound, 0) && !math.IsNaN(cert.LowerBound) {
		lower := math.Min(cert.LowerBound, cert.Objective) + 0 // but for rounding; and 0 is not -0
		res.LowerBound, res.Gap, res.RelativeGap = &lower, &cert.Gap, &cert.Relative
		res.Certificate = cert.Kind.String()
		if cert.Kind == gcg.Probable {
			res.Failure = &cert.Failure
		}
	}
	if r.Status == solver.Stalled {
		res.Warnings = append(res.Warnings, "no more could be proven: the gap is at rounding, or the solver at its limits")
	}
	return res
}

func (r *result) finishMemory() { r.Memory = peakMemory() }

func (r *result) printJSON(out io.Writer) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("the result holds a number that is not finite and is not printed: %w", err)
	}
	_, err = fmt.Fprintf(out, "%s\n", b)
	return err
}

// print is the result for people.
func (r *result) print(out io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("data", "%d ratings, %d × %d", r.N, r.Rows, r.Cols)
	if r.Lambda != nil {
		line("lambda", "%.6g (loss is a %s)", *r.Lambda, r.Normalize)
	}
	if r.Constrain != nil {
		line("constrain", "κ ≤ %.6g (loss is a %s)", *r.Constrain, r.Normalize)
	}
	line("status", "%s after %d iterations, %.2f s (reading %.2f s)", r.Status, r.Iterations, r.Seconds, r.Read)
	line("objective", "%.10g = loss %.6g + penalty of trace norm %.6g", r.Objective, r.Loss, r.Gauge)
	if r.LowerBound != nil {
		line("lower bound", "%.10g (%s), relative gap %.2g", *r.LowerBound, r.Certificate, *r.RelativeGap)
	}
	line("rank", "%d", r.Rank)
	if r.Test != nil {
		nmae := ""
		if r.Test.NMAE != nil {
			nmae = fmt.Sprintf(", NMAE %.4f", *r.Test.NMAE)
		}
		line("test", "RMSE %.4f%s on %d ratings (%d of unknown users or items)", r.Test.RMSE, nmae, r.Test.N, r.Test.Unknown)
		if r.Test.Recall != nil {
			line("ranking", "recall@%d %.4f, NDCG@%d %.4f", r.Test.RankingN, *r.Test.Recall, r.Test.RankingN, *r.Test.NDCG)
		}
	} else {
		line("training", "RMSE %.4f", *r.TrainRMSE)
	}
	if b := r.Baselines; b != nil {
		line("baselines", "RMSE on %s ratings: global mean %.4f, row and column biases %.4f", b.On, b.GlobalMean, b.Biases)
	}
	for _, w := range r.Warnings {
		line("warning", "%s", w)
	}
}
