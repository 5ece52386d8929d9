//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A look at the first line of a pipe, such as a shell's <(zcat …), would take it away.
func TestPipesAreReadOnce(t *testing.T) {
	rows(t)
	write(t, map[string]string{"c.libsvm": "a 1:1\nb 2:1\na 1:2 2:1\nb 2:2\n", "y.libsvm": "1 1:1\n2 2:1\n"})
	write(t, map[string]string{"labelled.csv": "p,kind,q\n1,a,0\n-1,b,0\n2,a,1\n-2,b,1\n", "plain.csv": "p,q\n3,0\n-3,0\n"})
	gcgJSON(t, "fit classification --train c.libsvm --lambda 0.01 --model c")
	gcgJSON(t, "fit classification --train labelled.csv --target kind --lambda 0.01 --model k")
	gcgJSON(t, "fit multitask --train tasks.csv --lambda 0.02 --model t")
	for _, args := range []string{
		"fit classification --lambda 0.01 --quiet --train c.libsvm",
		"fit classification --lambda 0.01 --quiet --train c.libsvm --test c.libsvm",
		"fit regression --lambda 0.01 --quiet --train y.libsvm",
		"fit multitask --lambda 0.02 --quiet --train tasks.csv",
		"predict --model c --data c.libsvm",
		"predict --model t --data tasks.csv",
		"predict --model k --data labelled.csv",
		"predict --model k --data plain.csv",
	} {
		words := strings.Fields(args)
		file := words[len(words)-1]
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		to.Write(b)
		to.Close()
		words[len(words)-1] = fmt.Sprintf("/dev/fd/%d", from.Fd())
		got, errs, code := command(t, words...)
		if want, _, _ := command(t, strings.Fields(args)...); code != 0 || strings.Count(got, "\n") != strings.Count(want, "\n") {
			t.Errorf("%s from a pipe: exit %d, %d lines, %q", args, code, strings.Count(got, "\n"), errs)
		}
		from.Close()
	}
}
