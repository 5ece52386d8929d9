package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/experiment"
)

// A Claim is what a paper says, in a form that runs can contradict.
//
//	less      Of the Solver, Factor times, is at most that of each of Than; what Than never reaches counts as infinite
//	most      Of the Solver, or of each of Than, is at most Value; least: at least Value
//	printed   Of the Solver is what the case has Printed, but for the part Within. With Lower, less is better
//	slope     the exponent of Of against the sizes of the cases is, for the Solver, below that of each of Than by Value
//	spread    Of each of Than is the same but for Value
//	chosen    of all cases the one of λ = Value has the least Of of the Solver
type Claim struct {
	Kind   string   `json:"kind"`
	Text   string   `json:"text"` // the paper's, in a few words
	Cases  []string `json:"cases,omitempty"`
	Solver string   `json:"solver,omitempty"`
	Than   []string `json:"than,omitempty"`
	Of     string   `json:"of"`
	Factor float64  `json:"factor,omitempty"`
	Value  float64  `json:"value,omitempty"`
	Within float64  `json:"within,omitempty"`
	Lower  bool     `json:"lower,omitempty"`
	Real   bool     `json:"real,omitempty"` // it says nothing of generated data
}

// check refuses a claim about what is not measured.
func (c *Claim) check(s *Spec) error {
	for _, name := range append(slices.Clone(c.Than), c.Solver) {
		if name != "" && !slices.ContainsFunc(s.Cases, func(k Case) bool { return slices.Contains(s.solversOf(&k), name) }) {
			return fmt.Errorf("no case has the solver %q", name)
		}
	}
	for _, name := range c.Cases {
		if !slices.ContainsFunc(s.Cases, func(k Case) bool { return k.Name == name }) {
			return fmt.Errorf("there is no case %q", name)
		}
	}
	if !slices.Contains([]string{"less", "most", "least", "printed", "slope", "spread", "chosen"}, c.Kind) {
		return fmt.Errorf("has the kind %q", c.Kind)
	}
	if c.Kind == "printed" {
		return nil // numbers of the data may be printed, too
	}
	_, err := quantityOf(c.Of)
	return err
}

// An Outcome is what became of a claim.
type Outcome struct {
	Text   string `json:"claim"`
	Holds  bool   `json:"holds"`
	Better bool   `json:"better,omitempty"` // what the paper printed is bettered
	Judged bool   `json:"judged"`           // false where the data that the claim is about are not here
	Why    string `json:"why"`
}

// judge holds a claim against the cases.
func (c *Claim) judge(cases []*Raced) Outcome {
	o := Outcome{Text: c.Text, Holds: true}
	var said []string
	var about []*Raced
	for _, k := range cases {
		if (len(c.Cases) == 0 || slices.Contains(c.Cases, k.Case.Name)) && (k.Real || !c.Real) {
			about = append(about, k)
		}
	}
	switch c.Kind {
	case "slope":
		o.Holds, o.Why = c.slopes(about)
		o.Judged = o.Why != ""
	case "chosen":
		o.Holds, o.Why = c.chosen(about)
		o.Judged = o.Why != ""
	default:
		for _, k := range about {
			holds, better, why := c.inCase(k)
			if why == "" {
				continue
			}
			o.Judged, o.Holds, o.Better = true, o.Holds && holds, o.Better || better
			if len(cases) > 1 {
				why = k.Case.Name + ": " + why
			}
			said = append(said, why)
		}
		o.Why = strings.Join(said, "; ")
	}
	if !o.Judged {
		o.Holds, o.Why = false, "the data of the paper are not here"
	}
	return o
}

// inCase judges within one case; why is empty where the case has nothing to say.
func (c *Claim) inCase(k *Raced) (holds, better bool, why string) {
	of := unit(c.Of)
	switch c.Kind {
	case "less":
		mine, ok := k.value(c.Solver, c.Of)
		if !k.has(c.Solver) {
			return false, false, ""
		}
		holds = ok
		why = fmt.Sprintf("%s %s", c.Solver, numberOr(mine, ok, of))
		for _, other := range c.Than {
			if !k.has(other) {
				continue
			}
			theirs, reached := k.value(other, c.Of)
			holds = holds && (!reached || math.Max(c.Factor, 1)*mine <= theirs)
			why += fmt.Sprintf(", %s %s", other, numberOr(theirs, reached, of))
		}
		return holds, false, why
	case "most", "least":
		holds = true
		for _, name := range append(slices.Clone(c.Than), c.Solver) {
			if !k.has(name) {
				continue
			}
			x, ok := k.value(name, c.Of)
			holds = holds && ok && (c.Kind == "most" && x <= c.Value || c.Kind == "least" && x >= c.Value)
			why = joined(why, name+" "+numberOr(x, ok, of))
		}
		return holds, false, why
	case "printed":
		want, is := k.Case.Printed[c.Of]
		got, ok := k.value(c.Solver, c.Of)
		if !is || !ok {
			return false, false, ""
		}
		better = c.Lower && got < want*(1-c.Within)
		return better || math.Abs(got-want) <= c.Within*math.Abs(want), better,
			fmt.Sprintf("%s %s, printed %s", c.Of, short(got), short(want))
	}
	least, most := math.Inf(1), math.Inf(-1) // spread
	for _, name := range c.Than {
		if x, ok := k.value(name, c.Of); ok {
			least, most = math.Min(least, x), math.Max(most, x)
		}
	}
	if math.IsInf(least, 1) {
		return false, false, ""
	}
	return most-least <= c.Value, false, fmt.Sprintf("%s from %s to %s", c.Of, short(least), short(most))
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// slopes compares exponents.
func (c *Claim) slopes(cases []*Raced) (holds bool, why string) {
	mine, ok := exponent(cases, c.Solver, c.Of)
	if !ok {
		return false, fmt.Sprintf("%s gives no exponent", c.Solver)
	}
	holds, why = true, fmt.Sprintf("%s grows as size^%.2f", c.Solver, mine)
	for _, other := range c.Than {
		theirs, ok := exponent(cases, other, c.Of)
		if !ok {
			why += fmt.Sprintf(", %s gives no exponent", other)
			continue
		}
		holds = holds && mine+c.Value <= theirs
		why += fmt.Sprintf(", %s as size^%.2f", other, theirs)
	}
	if len(c.Than) == 0 {
		holds = mine <= c.Value
	}
	return holds, why
}

// exponent is the slope of log(quantity) against log(size) by least squares, over the cases that have it: at least three, and of
// times more than the clock tells from nothing, as a start that is near the optimum leaves.
func exponent(cases []*Raced, solver, of string) (slope float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	for _, k := range cases {
		y, has := k.value(solver, of)
		x := k.Numbers["size"]
		if !has || !(y > leastTime) || !(x > 0) {
			continue
		}
		lx, ly := math.Log(x), math.Log(y)
		n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	d := n*sxx - sx*sx
	if n < fewSizes || !(d > 0) {
		return 0, false
	}
	return (n*sxy - sx*sy) / d, true
}

// chosen finds the λ of the least value.
func (c *Claim) chosen(cases []*Raced) (holds bool, why string) {
	best, lambda := math.Inf(1), math.NaN()
	var all []string
	for _, k := range cases {
		if x, ok := k.value(c.Solver, c.Of); ok {
			all = append(all, fmt.Sprintf("%s at λ = %s", short(x), short(k.Lambda)))
			if x < best {
				best, lambda = x, k.Lambda
			}
		}
	}
	if len(all) < 2 {
		return false, ""
	}
	return math.Abs(lambda-c.Value) <= 1e-9*c.Value, fmt.Sprintf("%s: least at λ = %s, the paper has %s", strings.Join(all, ", "),
		short(lambda), short(c.Value))
}

// numberOr is a number with its unit, or that it was never reached.
func numberOr(x float64, ok bool, unit string) string {
	if !ok {
		return "never"
	}
	return strings.TrimSpace(short(x) + " " + unit)
}

// unit is what numbers of a quantity are followed by.
func unit(of string) string {
	what, _, _ := strings.Cut(of, "@")
	switch {
	case strings.HasSuffix(what, "seconds"):
		return "s"
	case what == "iterations" || what == "gradients" || what == "polars":
		return what
	}
	return ""
}

// short is a number in few digits.
func short(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case x == math.Trunc(x) && math.Abs(x) < 1e7:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// The verdicts.
const (
	Reproduced    = "reproduced"
	Better        = "better"
	NotReproduced = "not reproduced"
)

// twice is how much sooner the recommended solver is to reach the gap, in every case, for the verdict to be "better".
const twice = 2

// verdict is that of all claims: "not reproduced" where one of those that were judged fails, or none was; "better" where all hold
// and a printed number is bettered, or the recommended solver is in every case twice as fast as the method of the paper, which is
// another; else "reproduced".
func (s *Spec) verdict(cases []*Raced, outcomes []Outcome) (verdict, why string) {
	judged, held, beaten := 0, 0, false
	var failed []string
	for _, o := range outcomes {
		if o.Judged {
			judged++
		}
		if o.Holds {
			held++
		} else if o.Judged {
			failed = append(failed, fmt.Sprintf("%s (%s)", o.Text, o.Why))
		}
		beaten = beaten || o.Better
	}
	switch {
	case judged == 0:
		return NotReproduced, "Not reproduced: the data that the paper's numbers are of are not here."
	case len(failed) > 0:
		return NotReproduced, fmt.Sprintf("Not reproduced: %d of %d claims hold; not that %s.", held, judged,
			strings.Join(failed, "; nor that "))
	}
	text := fmt.Sprintf("all %d claims hold", held)
	if held == 1 {
		text = "the claim holds: " + outcomes[0].Why
	}
	if ratio, ok := s.faster(cases); ok && ratio >= twice {
		return Better, fmt.Sprintf("Better: %s, and %s comes within %g in at most 1/%.1f of the time of %s.", text, s.Ours, s.Gap,
			ratio, s.Method)
	}
	if beaten {
		return Better, fmt.Sprintf("Better: %s, and a printed number is bettered.", text)
	}
	return Reproduced, fmt.Sprintf("Reproduced: %s.", text)
}

// faster is the least ratio, over the cases, of the times of the paper's method and of the recommended one.
func (s *Spec) faster(cases []*Raced) (ratio float64, ok bool) {
	if s.Ours == "" || s.Method == "" || s.Ours == s.Method || s.Gap == 0 {
		return 0, false
	}
	ratio = math.Inf(1)
	of := fmt.Sprintf("seconds@%g", s.Gap)
	for _, k := range cases {
		ours, reached := k.value(s.Ours, of)
		theirs, has := k.value(s.Method, of)
		if !reached {
			return 0, false
		}
		if !has {
			theirs, _ = k.value(s.Method, "seconds")
		}
		ratio = math.Min(ratio, theirs/math.Max(ours, leastTime))
	}
	return ratio, !math.IsInf(ratio, 0)
}

// fewSizes is how many sizes an exponent takes.
const fewSizes = 3

// leastTime is what the clock tells from nothing.
const leastTime = 1e-4

// value is a quantity of a solver's run, or a number of the data.
func (k *Raced) value(solver, of string) (x float64, ok bool) {
	if x, is := k.Numbers[of]; is {
		return x, true
	}
	r := k.run(solver)
	if r == nil || r.Err != nil {
		return 0, false
	}
	q, err := quantityOf(of)
	if err != nil {
		return 0, false
	}
	x, ok = q(r, k.ending)
	return x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// run is that of a solver, or nil.
func (k *Raced) run(solver string) *experiment.Run {
	for i := range k.Runs {
		if k.Runs[i].Solver == solver {
			return &k.Runs[i]
		}
	}
	return nil
}

func (k *Raced) has(solver string) bool { return k.run(solver) != nil }
