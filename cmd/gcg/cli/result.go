package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// Result is the answer of fit: the JSON of the command line's contract. What does not apply is left out.
type Result struct {
	Problem      string   `json:"problem"`
	Solver       string   `json:"solver"`
	Status       string   `json:"status"`
	Objective    float64  `json:"objective"`
	Loss         float64  `json:"loss"`
	Gauge        float64  `json:"gauge"`
	LowerBound   *float64 `json:"lower_bound,omitempty"`
	Gap          *float64 `json:"gap,omitempty"`
	RelativeGap  *float64 `json:"relative_gap,omitempty"`
	Certificate  string   `json:"certificate,omitempty"`
	Failure      *float64 `json:"failure_probability,omitempty"`
	Smoothing    *float64 `json:"smoothing_error,omitempty"` // what the loss is below the one that was smoothed, at most
	Second       *float64 `json:"second_penalty,omitempty"`  // its value
	Ridge        *float64 `json:"ridge,omitempty"`           // μ
	RidgePenalty *float64 `json:"ridge_penalty,omitempty"`   // μ/2‖W‖², which Loss is without
	L1Ratio      *float64 `json:"l1_ratio,omitempty"`
	Unsmoothed   *float64 `json:"unsmoothed_objective,omitempty"` // with that one; its optimum is not below LowerBound
	Excess       *float64 `json:"excess,omitempty"`               // κ°(-∇ℓ) - λ, condition (i') of an ε-solution
	Balance      *float64 `json:"balance,omitempty"`              // |⟨∇ℓ, W⟩ + λρ|/ρ, condition (ii')
	Began        *Began   `json:"began,omitempty"`                // of the model that was updated, on all ratings
	selection.Size
	Iterations   int                `json:"iterations"`
	Gradients    int                `json:"gradients"` // of the loss
	Polars       int                `json:"polars"`    // of the gauge, those of certificates and inner problems included
	Lambda       *float64           `json:"lambda,omitempty"`
	LambdaAuto   bool               `json:"lambda_auto,omitempty"`
	L1           *float64           `json:"l1,omitempty"`         // λ₁, of an ℓ1 norm beside the gauge
	Tried        []TriedPoint       `json:"tried,omitempty"`      // λ before one was chosen, of the candidate that was taken
	For          string             `json:"for,omitempty"`        // what the model was chosen for, where that is not rating
	Chosen       string             `json:"chosen,omitempty"`     // the model that was chosen for it
	Candidates   any                `json:"candidates,omitempty"` // centres and weights of completion, before one was taken
	CutShort     string             `json:"cut_short,omitempty"`  // max_time or interrupted, where either ended the choice of λ
	Constrain    *float64           `json:"constrain,omitempty"`
	Ranks        *rankResult        `json:"ranks,omitempty"`
	Seconds      float64            `json:"seconds"` // without reading: the choice of λ, and the fit
	CPU          *float64           `json:"cpu_seconds,omitempty"`
	Read         float64            `json:"read_seconds"`
	Choosing     *float64           `json:"choice_seconds,omitempty"` // of λ, and of what is chosen with it
	ChoosingCPU  *float64           `json:"choice_cpu_seconds,omitempty"`
	Fitting      *float64           `json:"fit_seconds,omitempty"` // where λ was chosen: at that λ alone
	FittingCPU   *float64           `json:"fit_cpu_seconds,omitempty"`
	Total        float64            `json:"total_seconds"` // of the command, from its start on
	Memory       int64              `json:"peak_memory_bytes,omitempty"`
	Normalize    string             `json:"normalize"`
	Center       string             `json:"center,omitempty"`
	Rated        string             `json:"rated,omitempty"` // lists of what was rated: users, items or both
	Weights      string             `json:"weights,omitempty"`
	Implicit     *float64           `json:"implicit,omitempty"`      // α of clicks
	Background   *float64           `json:"background,omitempty"`    // w₀, the weight of cells without a click
	ScoresWithin *float64           `json:"scores_within,omitempty"` // √(2 gap/w₀): no score is further from the optimum's
	LossName     string             `json:"loss_name,omitempty"`
	GaugeName    string             `json:"gauge_name,omitempty"`
	Intercept    bool               `json:"intercept,omitempty"`
	Rows         int                `json:"rows"`
	Cols         int                `json:"cols"`
	N            int                `json:"observations"`
	Filled       *Filled            `json:"filled,omitempty"` // features that were missing
	Test         selection.Measured `json:"test,omitempty"`
	TrainRMSE    *float64           `json:"train_rmse,omitempty"`
	TrainMAE     *float64           `json:"train_mae,omitempty"`
	Training     selection.Measured `json:"training,omitempty"`
	Baselines    any                `json:"baselines,omitempty"`
	Features     any                `json:"features,omitempty"`  // of users and items, beside ratings
	AlsoSeen     any                `json:"also_seen,omitempty"` // pairs without ratings in lists of what was rated
	Selection    any                `json:"selection,omitempty"` // of rows and columns
	Links        any                `json:"links,omitempty"`     // missing ones of a graph, best first
	Parts        any                `json:"parts,omitempty"`     // what a decomposition consists of
	Warnings     []string           `json:"warnings"`
	Data, Normed string             `json:"-"` // for people: the data, and what κ is called
	squared      bool               // the penalty is λ/2 κ²
	relation     string             // of κ to its constraint
	Notes        []note             `json:"-"`
	lost         error              // of what could not be written, see Lose
}

// Filled is how many features were missing in each part of the data, and filled by means of the training rows.
type Filled struct {
	Training   int `json:"training"`
	Test       int `json:"test,omitempty"`
	Validation int `json:"validation,omitempty"`
}

// A note is a line for people.
type note struct{ Name, Text string }

// Note adds a line for people.
func (r *Result) Note(name, format string, args ...any) {
	r.Notes = append(r.Notes, note{name, fmt.Sprintf(format, args...)})
}

// Warn adds a warning, unless it is empty.
func (r *Result) Warn(text string) {
	if text != "" {
		r.Warnings = append(r.Warnings, text)
	}
}

// Lose notes that a part of the answer was not written: the command prints the others, and fails with err, if it is not nil.
func (r *Result) Lose(err error) { r.lost = errors.Join(r.lost, err) }

// newResult holds what every PROBLEM has.
func newResult(f *RunFlags, t *selection.Fitting, r *solver.Result, lambda float64, auto bool) *Result {
	cert := r.State.Cert
	res := &Result{Problem: f.Problem, Solver: f.Solver, Status: string(r.Status), Objective: cert.Objective, Loss: r.State.Loss,
		Gauge: r.State.Rho, Size: selection.SolvedSize(t.Problem.Gauge,
			r.State.W), Iterations: r.Iter, Gradients: r.State.Count.Gradients,
		Polars: r.State.Count.Polars, Read: f.reading.Seconds(), Seconds: r.Elapsed.Seconds(), Normalize: f.Normalize,
		LambdaAuto: auto, squared: f.Penalty == "square", Warnings: append([]string{}, r.Warnings...)}
	f.leaves(r.Status, cert.Relative)
	res.Rows, res.Cols, res.N = t.Problem.Operator.Dims()
	if r.CPU > 0 {
		cpu := r.CPU.Seconds()
		res.CPU = &cpu
	}
	if lambda > 0 {
		res.Lambda = &lambda
	}
	if f.Constrain > 0 {
		res.Constrain, res.relation = &f.Constrain, "≤"
		if _, ok := t.Problem.Penalty.(gauge.Equal); ok {
			res.relation = "="
		}
	}
	if lower, relative := cert.Bracket(); lower != nil {
		res.LowerBound, res.Gap, res.RelativeGap = lower, &cert.Gap, relative
		res.Certificate = cert.Kind.String()
		if cert.Kind != gcg.Proven && cert.Failure > 0 { // of an approximate bound, too
			res.Failure = &cert.Failure
		}
	}
	if x := r.Solution; !math.IsNaN(x.Epsilon()) && !math.IsInf(x.Epsilon(), 0) {
		res.Excess, res.Balance = &x.Excess, &x.Balance
		if f.Solver != "gcg" && f.Solver != Coordinate.Name {
			res.Note("optimality", "the slope of the loss (its gradient) is steeper than λ allows by %.3g, and off λ along W by %.3g; "+
				"both are 0 at the optimum", math.Max(0, x.Excess), x.Balance)
		}
	}
	if s, ok := t.Problem.Loss.(*loss.Smoothed); ok {
		res.unsmooth(s, t.Problem, r.State)
	}
	if f.updating {
		res.Began = beganOf(f.start)
	}
	res.Warn(f.unheeded())
	return res
}

// unsmooth says what the objective is without smoothing.
func (r *Result) unsmooth(l *loss.Smoothed, p *gcg.Problem, s *gcg.State) {
	sharp := *p
	sharp.Loss = l.Unsmoothed()
	at, below := s.Cert.Objective-s.Loss+sharp.Value(s.Z, nil), l.SmoothingError()
	r.Smoothing, r.Unsmoothed = &below, &at
	r.Note("unsmoothed", "the objective is %.10g without smoothing, which takes off %.3g at most", at, below)
}

// shortfall is a warning of a solution in words, with the flags that mend what it is of.
func (f *RunFlags) shortfall(w task.Warning) string {
	switch w := w.(type) {
	case nil:
		return ""
	case warning.ZeroSolution:
		switch {
		case w.Chosen:
			return w.String() + " (--lambda)"
		case w.Top <= w.Lambda:
			return w.String() + "; see --lambda-ratio"
		}
		return strings.Replace(w.String(), "the tolerance", "--tol",
			1) + ": take a smaller --tol, or a smaller λ by --lambda-ratio"
	case warning.Stall:
		return strings.NewReplacer("the largest rank, ", "--max-rank ", "a path,", "gcg path,").Replace(w.String())
	}
	return w.String()
}

func (r *Result) finishMemory() { r.Memory = memory.Peak() }

func (r *Result) printJSON(out io.Writer) error {
	return PrintJSON(out, r)
}

// PrintJSON prints one object on a line.
func PrintJSON(out io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("the result holds a number that is not finite and is not printed: %w", err)
	}
	_, err = fmt.Fprintf(printable.Data(out), "%s\n", b)
	return err
}

// print is the result for people.
func (r *Result) print(out io.Writer, model string) {
	out, flush := printable.Wrapped(out)
	defer flush()
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("data", "%s", r.Data)
	if r.Lambda != nil {
		line("lambda", "%.6g (loss is a %s)", *r.Lambda, r.Normalize)
	}
	if r.Constrain != nil {
		line("constrain", "κ %s %.6g (loss is a %s)", r.relation, *r.Constrain, r.Normalize)
	}
	line("status", "%s after %d iterations, %.2f s (reading %.2f s)", r.Status, r.Iterations, r.Seconds, r.Read)
	switch {
	case r.Constrain != nil:
		line("objective", "%.10g = loss, %s %.6g", r.Objective, r.Normed, r.Gauge)
	case r.squared:
		line("objective", "%.10g = loss %.6g + penalty %.6g, λ/2 times the square of %s %.6g", r.Objective, r.Loss,
			r.Objective-r.Loss,
			r.Normed, r.Gauge)
	default:
		line("objective", "%.10g = loss %.6g + penalty of %s %.6g", r.Objective, r.Loss, r.Normed, r.Gauge)
	}
	if r.LowerBound != nil {
		line("lower bound", "%.10g (%s), relative gap %.2g", *r.LowerBound, r.Certificate, *r.RelativeGap)
	}
	line(r.Name(), "%d", r.Count())
	for _, n := range r.Notes {
		line(n.Name, "%s", n.Text)
	}
	for _, w := range r.Warnings {
		line("warning", "%s", w)
	}
	if model != "" {
		line("model", "%s", model)
	}
}
