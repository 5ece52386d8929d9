package house

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
)

// updateFlag is -update: false, true, or all.
type updateFlag struct{ set, all bool }

func (u *updateFlag) String() string   { return "false" }
func (u *updateFlag) IsBoolFlag() bool { return true }
func (u *updateFlag) Set(s string) error {
	if !slices.Contains([]string{"true", "false", "all"}, s) {
		return fmt.Errorf("neither -update nor -update=all")
	}
	*u = updateFlag{s != "false", s == "all"}
	return nil
}

var update updateFlag

func init() {
	flag.Var(&update, "update", "write exceptions.txt where no rule is broken by more than before; -update=all: in any case")
}

const listed = "exceptions.txt"

// module is the source of this module.
var module = sync.OnceValues(func() (*Tree, error) { return Read(os.DirFS("../..")) })

// exceptionsOf reads the list, and with -update writes it before.
func exceptionsOf(t *testing.T, tree *Tree) []exception {
	list, err := os.ReadFile(listed)
	if err != nil {
		t.Fatal(err)
	}
	exceptions, err := parseExceptions(list)
	if err != nil {
		t.Fatal(err)
	}
	if !update.set {
		return exceptions
	}
	exceptions, refused := rewrite(tree, rules, exceptions, update.all)
	for _, r := range refused {
		t.Error(r)
	}
	if now := formatExceptions(exceptions); !bytes.Equal(now, list) {
		if err := os.WriteFile(listed, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return exceptions
}

// TestRules holds every rule on this module, but for the exceptions in exceptions.txt, which are all needed.
func TestRules(t *testing.T) {
	tree, err := module()
	if err != nil {
		t.Fatal(err)
	}
	exceptions := exceptionsOf(t, tree)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, problem := range judge(r, r.violations(tree), exceptions) {
				t.Error(problem)
			}
		})
	}
	for _, e := range exceptions {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.name == e.rule }) {
			t.Errorf("exceptions.txt: there is no rule %s", e.rule)
		}
	}
}
