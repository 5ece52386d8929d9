package main

import (
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/spf13/cobra"
)

// polarResult is the contract of gcg polar.
type polarResult struct {
	Gauge   string    `json:"gauge"`
	Value   float64   `json:"value"`           // attained by the atom; of a one-sided gauge at least 0, which W = 0 attains
	Bound   *float64  `json:"bound,omitempty"` // ≥ κ°(G); left out where none is known
	Exact   bool      `json:"exact"`
	Kind    string    `json:"certificate"`
	Failure *float64  `json:"failure_probability,omitempty"`
	Alpha   float64   `json:"alpha"`
	Atom    *atomJSON `json:"atom,omitempty"`
}

// atomJSON is u vᵀ, or a sum of such with columns us and vs, or entries counted from 1.
type atomJSON struct {
	U       []float64    `json:"u,omitempty"`
	V       []float64    `json:"v,omitempty"`
	Us      [][]float64  `json:"us,omitempty"`
	Vs      [][]float64  `json:"vs,omitempty"`
	Entries [][3]float64 `json:"entries,omitempty"` // row, column, value
}

func polarCommand() *cobra.Command {
	f := &polarFlags{}
	cmd := &cobra.Command{
		Use:   "polar GAUGE --matrix G",
		Short: "The polar (dual norm) of a gauge at a matrix: value, certified bound, atom",
		Long: `The polar of a gauge at a matrix, κ°(G) = max ⟨a, G⟩ over the atoms a: the value that the atom attains, an upper
bound of the maximum, and the atom. Where a polar is NP-hard, alpha is the ratio that is guaranteed.

GAUGE is l1, l1:WEIGHTS, positive-l1, simplex, group (rows), columns, group-inf, group:FILE, group-inf:FILE, both perhaps
with ,by-size, overlap-inf:FILE, rows-columns, trace, psd-trace, spectrahedron, schatten:p, lp:p or factor:c,r (c and r
are 1, 2 or inf); multiview (two views, and labels), or views (the convex model of any number).`,
		Example: `  gcg polar trace --matrix G.csv
  gcg polar factor:inf,inf --matrix G.npy --json
  gcg polar multiview --matrix G.npy --split 80 --radius 1,5`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("gcg polar takes one gauge, such as trace or l1; see gcg help polar")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := f.gauge(args[0])
			switch {
			case err != nil:
				return err
			case f.file == "":
				return cli.Usagef("gcg polar needs --matrix")
			}
			p, m, err := polarAt(cmd, of, args[0], f.file, gcg.Ask{Count: 1, Tol: f.tol, Seed: f.seed})
			if err != nil {
				return err
			}
			return printPolar(cmd.OutOrStdout(), args[0], p, m, f.asJSON)
		},
	}
	cli.Bind(cmd, cmd.Name(), "", f.fields())
	return cmd
}

// wholeSide is the shorter side up to which all singular values are computed where those nearby leave the tolerance open: at
// 2,000 that takes about 10 s.
const wholeSide = 2000

// polarAt reads G and asks for its polar.
func polarAt(cmd *cobra.Command, of gaugeAt, name, file string, ask gcg.Ask) (gcg.Polar, *dataset.Matrix, error) {
	m, err := cli.UnlessInterrupted(cmd.Context(), func() (*dataset.Matrix, error) { return dataset.ReadMatrix(file, nil) })
	if err != nil {
		return gcg.Polar{}, nil, err
	}
	if err := memory.GrantMatrix(dataset.Called(file), 1, m.Rows, m.Cols); err != nil {
		return gcg.Polar{}, nil, err
	}
	k, err := of(m)
	if err != nil {
		return gcg.Polar{}, nil, err
	}
	switch k.(type) {
	case gauge.PSDTrace, gauge.Spectrahedron:
		if m.Rows != m.Cols {
			return gcg.Polar{}, nil, fmt.Errorf("%s: is %d×%d; the gauge %s is for square matrices", file, m.Rows, m.Cols, name)
		}
	}
	op, err := operator.NewIdentity(m.Rows, m.Cols)
	if err != nil {
		return gcg.Polar{}, nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := m.Densify(file); err != nil {
		return gcg.Polar{}, nil, err
	}
	p, err := k.Polar(cmd.Context(), op.Adjoint(m.Dense), ask)
	if _, ok := k.(gauge.Trace); ok && err == nil && p.Bound-p.Value > ask.Tol*p.Bound && min(m.Rows, m.Cols) <= wholeSide {
		p = spectral.DenseSVD(op.Adjoint(m.Dense), ask) // Lanczos steps do not part values that are close
	}
	if err == nil && (math.IsNaN(p.Value) || math.IsInf(p.Value, 0)) {
		err = fmt.Errorf("%s: has numbers that are too large for the polar of %s, which came out as %v: divide all of them by one "+
			"number", file, name, p.Value)
	}
	return p, m, err
}

func printPolar(out io.Writer, name string, p gcg.Polar, m *dataset.Matrix, asJSON bool) error {
	r := polarResult{Gauge: name, Value: p.Value + 0, Exact: p.Kind == gcg.Proven, Kind: p.Kind.String(), Alpha: p.Alpha}
	if r.Alpha == 0 && p.Kind != gcg.Approximate && p.Kind != gcg.Unbounded {
		r.Alpha = 1
	}
	zero := r.Value < 0 && name != "simplex" && name != "spectrahedron" // W = 0 attains 0, and no atom does
	if zero {
		r.Value = 0
	}
	if !math.IsInf(p.Bound, 1) {
		r.Bound = &p.Bound
	}
	if p.Failure > 0 { // of an approximate bound, too
		r.Failure = &p.Failure
	}
	if len(p.Atoms) > 0 && !zero {
		r.Atom = atomOf(&p.Atoms[0], m.Rows, m.Cols)
	}
	if asJSON {
		return cli.PrintJSON(out, r)
	}
	fmt.Fprintf(out, "gauge        %s, at a %d×%d matrix\n", name, m.Rows, m.Cols)
	fmt.Fprintf(out, "value        %.10g (attained)\n", r.Value)
	if r.Bound == nil {
		fmt.Fprintf(out, "bound        none is known\n")
	} else {
		fmt.Fprintf(out, "bound        %.10g (%s)\n", *r.Bound, r.Kind)
	}
	fmt.Fprintf(out, "alpha        %.4g\n", r.Alpha)
	if r.Atom != nil {
		fmt.Fprintf(out, "atom         %s\n", r.Atom)
	}
	return nil
}

func atomOf(a *gcg.Atom, rows, cols int) *atomJSON {
	j := &atomJSON{}
	if !a.LowRank() {
		if j.oneLine(a, rows, cols) {
			return j
		}
		for e, x := range a.Vals {
			j.Entries = append(j.Entries, [3]float64{float64(a.Rows[e] + 1), float64(a.Cols[e] + 1), x})
		}
		return j
	}
	for c := range a.U.K {
		u, v := make([]float64, a.U.Rows), make([]float64, a.V.Rows)
		a.U.ColumnTo(u, c)
		a.V.ColumnTo(v, c)
		j.Us, j.Vs = append(j.Us, u), append(j.Vs, v)
	}
	if len(j.Us) == 1 {
		j.U, j.V, j.Us, j.Vs = j.Us[0], j.Vs[0], nil, nil
	}
	return j
}

// oneLine writes entries of one row or one column as u vᵀ; it reports whether they are that.
func (j *atomJSON) oneLine(a *gcg.Atom, rows, cols int) bool {
	sameRow, sameCol := true, true
	for e := range a.Vals {
		sameRow = sameRow && a.Rows[e] == a.Rows[0]
		sameCol = sameCol && a.Cols[e] == a.Cols[0]
	}
	if len(a.Vals) == 0 || !sameRow && !sameCol {
		return false
	}
	j.U, j.V = make([]float64, rows), make([]float64, cols)
	if sameRow {
		j.U[a.Rows[0]] = 1
	} else {
		j.V[a.Cols[0]] = 1
	}
	for e, x := range a.Vals {
		if sameRow {
			j.V[a.Cols[e]] = x
		} else {
			j.U[a.Rows[e]] = x
		}
	}
	return true
}

// String is an atom in one line.
func (j *atomJSON) String() string {
	switch {
	case j.U != nil:
		return fmt.Sprintf("u vᵀ, u = %s, v = %s", few(j.U), few(j.V))
	case j.Us != nil:
		return fmt.Sprintf("of rank %d; --json prints its factors", len(j.Us))
	}
	text := ""
	for t, e := range j.Entries {
		if t == mostShown {
			return text + fmt.Sprintf("… %d entries", len(j.Entries))
		}
		text += fmt.Sprintf("(%.0f, %.0f) %.6g  ", e[0], e[1], e[2])
	}
	return text
}

// few are the first numbers of a vector.
func few(x []float64) string {
	text := "("
	for i, v := range x {
		if i == mostShown {
			return text + " …)"
		}
		text += fmt.Sprintf(" %.4g", v)
	}
	return text + " )"
}
