package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Flag is the one definition of a flag: its name, what it says where, the values it takes and what reads it. The rows of
// Flags are all there are; what a command does with one is bound to it by name in a Fields.
type Flag struct {
	Name, Short string
	Group       group
	In          string  // the problems and verbs that have it, as "completion", "path", "check/rpca"
	Doc         string  // a line of the help; a word in `back quotes` stands for the value
	Default     any     // nil is 0, false or empty
	Check       Check   // the values that it takes; nil is all of its type
	Commas      bool    // a list whose values stand between commas, not one value each time
	With        string  // flags one of which it goes with
	Solvers     string  // words of --solver that read it; empty is all
	Refused     because // problems and verbs that do not read it
	Or          []Use   // what else it means
}

// A Use is what a flag means in some problems and verbs. The first that names a command holds there, the row itself last.
type Use struct {
	In, Doc string
	Default any
	Check   Check
	With    string
}

// because says, by problem or verb, why a flag is refused there: the flag is known, but not in the help.
type because map[string]string

// and adds reasons.
func (b because) and(more because) because {
	all := maps.Clone(b)
	maps.Copy(all, more)
	return all
}

// A Check says what values a flag takes where one is none of them, and nothing where it is.
type Check func(value string) (allowed string)

// Fields are where the values of flags are kept, by the names of the flags: pointers to a string, a bool, a number, a duration or
// a list of them, or a pflag.Value.
type Fields map[string]any

// And adds fields.
func (f Fields) And(more Fields) Fields {
	maps.Copy(f, more)
	return f
}

// A place is where a flag stands: a verb, and perhaps its PROBLEM.
type place struct{ verb, problem string }

// among says that a list of problems and verbs has this place.
func (p place) among(list string) bool {
	return Contains(list, p.verb) || p.problem != "" && (Contains(list, p.problem) || Contains(list, p.verb+"/"+p.problem))
}

// at is what a flag means in a place; ok says that it is there.
func (f *Flag) at(p place) (u Use, ok bool) {
	for _, u := range f.Or {
		if p.among(u.In) {
			return u, true
		}
	}
	return Use{f.In, f.Doc, f.Default, f.Check, f.With}, p.among(f.In)
}

// why is the reason for which a flag is refused in a place, or nothing.
func (f *Flag) why(p place) string {
	for _, key := range []string{p.verb + "/" + p.problem, p.problem, p.verb} {
		if text, is := f.Refused[key]; is {
			return text
		}
	}
	return ""
}

// flagNamed is a row of Flags, or nil.
func flagNamed(name string) *Flag {
	if i := slices.IndexFunc(Flags, func(f Flag) bool { return f.Name == name }); i >= 0 {
		return &Flags[i]
	}
	return nil
}

// Bind registers those flags whose values have a field and that the table has in this place, and refuses before the command runs
// the values that they do not take, and those that nothing would read.
func Bind(cmd *cobra.Command, verb, problem string, to Fields) {
	here, s := place{verb, problem}, cmd.Flags()
	s.SortFlags = false
	for i := range Flags {
		f := &Flags[i]
		field, bound := to[f.Name]
		u, in := f.at(here)
		refused := f.why(here) != ""
		if !bound || !in && !refused {
			continue
		}
		flag := s.VarPF(valueOf(field, f.Commas), f.Name, f.Short, u.Doc)
		if flag.Value.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		if u.Default != nil {
			if err := flag.Value.Set(fmt.Sprint(u.Default)); err != nil {
				panic("cli: --" + f.Name + ": " + err.Error()) // a row that cannot be, which every start would meet
			}
			flag.DefValue = flag.Value.String()
		}
		flag.Hidden = refused
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd, here) }
}

// valueOf is the pflag.Value of a field, which begins at its zero value.
func valueOf(field any, commas bool) pflag.Value {
	s := pflag.NewFlagSet("", pflag.ContinueOnError)
	switch p := field.(type) {
	case *string:
		s.StringVar(p, "x", "", "")
	case *bool:
		s.BoolVar(p, "x", false, "")
	case *int:
		s.IntVar(p, "x", 0, "")
	case *uint64:
		s.Uint64Var(p, "x", 0, "")
	case *float64:
		s.Float64Var(p, "x", 0, "")
	case *time.Duration:
		s.DurationVar(p, "x", 0, "")
	case *[]int:
		s.IntSliceVar(p, "x", nil, "")
	case *[]string:
		if commas {
			s.StringSliceVar(p, "x", nil, "")
		} else {
			s.StringArrayVar(p, "x", nil, "")
		}
	case *Decimal:
		*p = 0
		return p
	case pflag.Value:
		return p
	}
	return s.Lookup("x").Value
}

// checkFlags refuses what the flags that are given say, one by one and with each other.
func checkFlags(cmd *cobra.Command, here place) (err error) {
	cmd.Flags().Visit(func(given *pflag.Flag) {
		f := flagNamed(given.Name)
		if err != nil || f == nil { // --help
			return
		}
		if why := f.why(here); why != "" {
			err = Usagef("--%s: %s", f.Name, strings.Replace(why, "gcg "+here.verb, cmd.CommandPath(), 1))
			return
		}
		u, _ := f.at(here)
		if with := strings.Fields(u.With); len(with) > 0 && !slices.ContainsFunc(with, cmd.Flags().Changed) {
			err = Usagef("--%s: goes with --%s", f.Name, strings.Join(with, " or --"))
			return
		}
		if u.Check == nil {
			return
		}
		text := given.Value.String()
		if allowed := u.Check(text); allowed != "" {
			if given.Value.Type() == "string" {
				text = fmt.Sprintf("%q", text)
			}
			err = Usagef("--%s %s: %s", f.Name, text, allowed)
		}
	})
	return err
}

// checkReads refuses flags that the solver does not read, once it is known which that is.
func (f *RunFlags) checkReads() (err error) {
	f.Cmd.Flags().Visit(func(given *pflag.Flag) {
		row := flagNamed(given.Name)
		if err != nil || row == nil || row.Solvers == "" || Contains(row.Solvers, f.Solver) {
			return
		}
		var readers []string
		for _, m := range f.methods {
			if Contains(row.Solvers, m.Name) && m.Name != "r1d" { // atomdescent
				readers = append(readers, m.Name)
			}
		}
		err = Usagef("--%s: goes with --solver %s; %s does not read it", given.Name, strings.Join(readers, " or "), f.Solver)
	})
	return err
}

// join adds the fields of another reader of the same flags: what both read is kept in both.
func (f Fields) join(more Fields) {
	for name, field := range more {
		if other, both := f[name]; both && other != field {
			field = values{valueOf(other, false), valueOf(field, false)}
		}
		f[name] = field
	}
}
