package reproduce

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed specs/*.json
var files embed.FS

// A Spec is one table or figure.
type Spec struct {
	ID      string   `json:"id"`
	Paper   string   `json:"paper"`
	What    string   `json:"what"` // such as "Figure 2"
	Title   string   `json:"title"`
	About   string   `json:"about"` // what the paper does, and what is different here
	Kind    string   `json:"kind"`  // of the data and the problem, see builders
	Scale   float64  `json:"scale"` // of the sizes of generated data, where nothing else is asked for
	Tol     float64  `json:"tol"`
	Seconds float64  `json:"seconds"` // of each solver
	Iter    int      `json:"iterations,omitempty"`
	Repeat  int      `json:"repeat,omitempty"`
	Every   bool     `json:"certify_every_step,omitempty"`
	Solvers []string `json:"solvers"`
	Ours    string   `json:"ours"`   // the solver that is recommended
	Method  string   `json:"method"` // that of the paper
	Gap     float64  `json:"gap"`    // to the best bound of all, by which Ours and Method are compared
	Columns []string `json:"columns"`
	Draw    []Plot   `json:"draw"`
	Cases   []Case   `json:"cases"`
	Claims  []Claim  `json:"claims"`
}

// A Source is files of real data.
type Source struct {
	Data  string   `json:"data,omitempty"`  // their folder
	Files []string `json:"files,omitempty"` // those that are read
}

// A Case is one problem of an experiment. Settings that its kind does not know are refused.
type Case struct {
	Name string `json:"name"`
	Source
	Or       *Source            `json:"or,omitempty"`    // where gcg data get unpacks them
	Shape    string             `json:"shape,omitempty"` // of generated data
	Lambda   float64            `json:"lambda,omitempty"`
	Ratio    float64            `json:"ratio,omitempty"` // λ over the smallest with W = 0; of generated data where both are given
	Size     float64            `json:"size,omitempty"`
	Seconds  float64            `json:"seconds,omitempty"` // of each solver on real data, in place of the experiment's
	Solvers  []string           `json:"solvers,omitempty"` // in place of the experiment's
	Settings map[string]float64 `json:"settings,omitempty"`
	Printed  map[string]float64 `json:"printed,omitempty"` // by quantity: what the paper has
}

// setting is a number of the case, or the usual one.
func (c *Case) setting(name string, usual float64) float64 {
	if x, is := c.Settings[name]; is {
		return x
	}
	return usual
}

// A Plot is a quantity against another, one line for each solver: of the points of each run, or with the x "size" of the last
// points of all cases.
type Plot struct {
	X    string `json:"x"`
	Y    string `json:"y"`
	LogX bool   `json:"log_x,omitempty"`
	LogY bool   `json:"log_y,omitempty"`
}

var all = sync.OnceValues(func() ([]*Spec, error) {
	names, err := files.ReadDir("specs")
	if err != nil {
		return nil, err
	}
	var list []*Spec
	for _, f := range names {
		text, err := files.ReadFile(path.Join("specs", f.Name()))
		if err != nil {
			return nil, err
		}
		s, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("experiment: %s: %w", f.Name(), err)
		}
		list = append(list, s)
	}
	order := func(s *Spec) int {
		return slices.Index([]string{"Yu17", "Zhang12", "Argyriou14", "Cheung15", "Dudik12"}, s.Paper)
	}
	slices.SortStableFunc(list, func(a, b *Spec) int {
		switch {
		case order(a) != order(b):
			return order(a) - order(b)
		case strings.HasPrefix(a.What, "Table") != strings.HasPrefix(b.What, "Table"):
			if strings.HasPrefix(a.What, "Table") {
				return -1
			}
			return 1
		}
		return number(a.What) - number(b.What)
	})
	return list, nil
})

// number is that of a table or a figure.
func number(what string) (n int) {
	fmt.Sscanf(what[strings.LastIndexByte(what, ' ')+1:], "%d", &n)
	return n
}

// parse reads one file, and refuses keys that it does not know.
func parse(text string) (*Spec, error) {
	s := &Spec{}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, err
	}
	return s, s.check()
}

// check refuses a spec that names what there is not.
func (s *Spec) check() error {
	switch {
	case s.ID == "" || s.Paper == "" || s.What == "" || s.Title == "" || s.About == "":
		return fmt.Errorf("needs id, paper, what, title and about")
	case builders[s.Kind] == nil:
		return fmt.Errorf("has the kind %q", s.Kind)
	case len(s.Cases) == 0 || len(s.Claims) == 0:
		return fmt.Errorf("needs cases and claims")
	case !(s.Scale > 0 && s.Scale <= 1):
		return fmt.Errorf("has the scale %v, which is above 0 and at most 1", s.Scale)
	}
	for _, c := range s.Claims {
		if err := c.check(s); err != nil {
			return fmt.Errorf("claim %q: %w", c.Text, err)
		}
	}
	return nil
}

// solversOf are those of a case.
func (s *Spec) solversOf(c *Case) []string {
	if len(c.Solvers) > 0 {
		return c.Solvers
	}
	return s.Solvers
}

// Source says what the data is usually: the folders of real data, or "generated".
func (s *Spec) Source() string {
	var names []string
	for _, c := range s.Cases {
		if c.Data != "" && !slices.Contains(names, c.Data) {
			names = append(names, c.Data)
		}
	}
	if len(names) == 0 {
		return "generated"
	}
	return strings.Join(names, ", ")
}

// List are all experiments: papers in the order of the documentation, tables before figures.
func List() ([]*Spec, error) { return all() }

// Find is the experiment of an id.
func Find(id string) (*Spec, error) {
	list, err := List()
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.ID == id {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no experiment is called %q; see gcg reproduce list", id)
}
