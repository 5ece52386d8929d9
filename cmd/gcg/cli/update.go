package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/spf13/cobra"
)

// An Updater is a Loader of data that a model is to be refitted to.
type Updater interface {
	Loader
	// Adopt takes over the problem that a model is of: what is subtracted, weighted and penalised.
	Adopt(m *model.Model) error
	// New is the file of what came in after the model.
	New() string
}

// Began is how far a start is from the optimum.
type Began struct {
	Objective   float64  `json:"objective"`
	LowerBound  *float64 `json:"lower_bound,omitempty"`
	RelativeGap *float64 `json:"relative_gap,omitempty"`
}

// UpdateCommand is gcg update. Its flags are those of fit but for what the model says: --model names that, and --output the
// model that is to be written.
func UpdateCommand(examples string, flags func(*cobra.Command) Updater) *cobra.Command {
	cmd := &cobra.Command{Use: "update --model FILE --data FILE --train FILE --output FILE",
		Short: "Say how far a model is from the optimum with new ratings, and refit it", Example: examples, Args: NoArgs}
	f := flags(cmd)
	r, check := f.Shared(), false
	fields := f.Fields().And(Fields{"model": &r.Warm, "output": &r.Model, "check": &check, "warm": new(string)})
	Bind(cmd, cmd.Name(), r.Problem, fields)
	r.describeSolvers()
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		st, err := loadUpdate(cmd, f, check)
		if err != nil {
			return err
		}
		if check {
			return beganJob(cmd, st)
		}
		if err := updateJob(cmd, st, cmd.ErrOrStderr()); err != nil {
			return err
		}
		return r.converged()
	}
	return cmd
}

// loadUpdate checks the flags, takes over the problem of the model, and reads the data.
func loadUpdate(cmd *cobra.Command, f Updater, check bool) (Job, error) {
	r := f.Shared()
	switch {
	case r.Warm == "" || f.New() == "":
		return nil, Usagef("gcg update needs --model, the model, and --data, the ratings that came in")
	case !check && r.Model == "":
		return nil, Usagef("gcg update needs --output FILE for the new model, which may be that of --model; or --check")
	case check && r.live != "":
		return nil, Usagef("--live: --check ends before there is something to see")
	case check && r.Model != "":
		return nil, Usagef("--output: --check writes no model")
	}
	m, err := UnlessInterrupted(cmd.Context(), r.warmModel)
	if err != nil {
		return nil, err
	}
	if err := f.Adopt(m); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Warm, err)
	}
	r.updating = true
	if err := (verb{name: cmd.Name()}).check(cmd, f); err != nil {
		return nil, err
	}
	return load(cmd.Context(), f)
}

// updateJob refits from the model, and says first how far that is from the optimum.
func updateJob(cmd *cobra.Command, st Job, log io.Writer) error {
	f := st.Shared()
	show := NewProgress(log, f)
	defer show.close()
	release, err := f.watch(cmd, show)
	if err != nil {
		return err
	}
	defer release()
	st.Greet(show)
	c := &selection.Choice{}
	c.Lambda, _, _ = f.LambdaValue() // which Adopt gave
	return fitChosen(cmd, st, c, false, show)
}

// beganJob says how far the model is from the optimum.
func beganJob(cmd *cobra.Command, st Job) error {
	f, out := st.Shared(), cmd.OutOrStdout()
	show := NewProgress(cmd.ErrOrStderr(), f)
	defer show.close()
	st.Greet(show)
	lambda, _, _ := f.LambdaValue()
	t, err := wholeProblem(cmd.Context(), st)
	if err != nil {
		return err
	}
	if _, err := penalise(cmd.Context(), f, t, lambda, show); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	f.atStart = stop
	trace, err := f.beginTrace(t, lambda, show)
	if err != nil {
		return err
	}
	_, _, err = solve(ctx, st, t, lambda, selection.Start{}, trace, show)
	if err := cmp.Or(err, trace.Close()); err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	b := beganOf(f.start)
	if !f.JSON {
		show.close()
		return printable.Line(out, f.far(f.start))
	}
	rows, cols, n := t.Problem.Operator.Dims()
	return PrintJSON(out, struct {
		Problem string `json:"problem"`
		Began   *Began `json:"began"`
		Rows    int    `json:"rows"`
		Cols    int    `json:"cols"`
		N       int    `json:"observations"`
	}{f.Problem, b, rows, cols, n})
}

// begins notes the certificate of the start of an update.
func (f *RunFlags) begins(c gcg.Certificate, show *Progress) {
	f.start = c
	if f.atStart != nil {
		f.atStart()
		return
	}
	show.Say(f.far(c))
}

// far is what a certificate says of the model that is to be updated.
func (f *RunFlags) far(c gcg.Certificate) string {
	lower, relative := c.Bracket()
	if lower == nil {
		return fmt.Sprintf("the model has an objective of %.10g with these ratings; no bound is known", c.Objective)
	}
	verdict := fmt.Sprintf("above --tol %g", f.Tol)
	if *relative <= f.Tol {
		verdict = fmt.Sprintf("within --tol %g: no update is needed", f.Tol)
	}
	return fmt.Sprintf("the model has an objective of %.10g with these ratings, the optimum is not below %.10g: "+
		"relative gap %.2g, %s", c.Objective, *lower, *relative, verdict)
}

// beganOf is a certificate for scripts.
func beganOf(c gcg.Certificate) *Began {
	lower, relative := c.Bracket()
	return &Began{c.Objective, lower, relative}
}
