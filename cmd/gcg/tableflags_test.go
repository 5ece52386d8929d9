package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A table with names of its rows, with decimal commas, or with samples in its columns is the same data; the names stand in all
// that is written, of what is selected, too.
func TestTablesWithRowNames(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows = 12
	writeTables(t, rows, 4)
	run := func(args string) string {
		out, errs, code := command(t, strings.Fields(args)...)
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", args, code, errs)
		}
		return out
	}
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	parts := map[string][]string{}
	for _, file := range []string{"plain.csv", "named.csv", "german.csv --decimal ,", "turned.csv --transpose"} {
		run("fit spca --features " + file + " --nonzeros 2 --quiet --model m")
		scores := run("predict --model m --data " + file)
		run("fit rpca --features " + file + " --lambda 1 --l1 0.5 --quiet --low-rank low.csv")
		run("fit multiview --view " + file + " --view " + file + " --lambda 1 --quiet --denoised clean.csv --model v")
		v := strings.Fields(file)[0]
		codes := run("predict --model v --predict codes --view " + v + " --view " + v + strings.TrimPrefix(file, v))
		chosen := run("fit cur --features " + file + " --rows 2 --columns 2 --quiet --output sel")
		all := []string{scores, read("low.csv"), read("clean.1.csv"), codes, read("sel.C.csv"), read("sel.ranking.csv")}
		parts[v] = all
		if v == "plain.csv" {
			continue
		}
		for k, text := range all[:5] {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			if len(lines) != rows+1 || !strings.HasPrefix(lines[0], "name,") ||
				!strings.HasPrefix(lines[rows], fmt.Sprintf("s%d,", rows-1)) {
				t.Errorf("%s: part %d is %.200s", file, k, text)
			}
		}
		if !strings.Contains(all[5], "row,1,s") || !strings.Contains(chosen, ": s2 (") {
			t.Errorf("%s: rows without names: %s\n%s", file, all[5], chosen)
		}
		if want := parts["named.csv"]; strings.Join(all, "|") != strings.Join(want, "|") {
			t.Errorf("%s: not the numbers of named.csv", file)
		}
	}
	want := withoutFirst("x," + strings.ReplaceAll(parts["plain.csv"][0], "\n", "\nx,"))
	if got := withoutFirst(parts["named.csv"][0]); got != want {
		t.Errorf("scores with row names %s, and without %s", got, want)
	}
}

// writeTables writes the same table plain, with names of its rows, with decimal commas, and turned.
func writeTables(t *testing.T, rows, cols int) {
	t.Helper()
	value := func(i, j int) float64 { return float64((7*i+3*j*j+i*j)%11)/4 + float64(i%3)*float64(j+1) }
	plain, named, german, turned := "a,b,c,d\n", ",a,b,c,d\n", ";a;b;c;d\n", ""
	for i := range rows {
		var numbers []string
		for j := range cols {
			numbers = append(numbers, fmt.Sprint(value(i, j)))
		}
		line := strings.Join(numbers, ",")
		plain, named = plain+line+"\n", named+fmt.Sprintf("s%d,", i)+line+"\n"
		german += fmt.Sprintf("s%d;", i) + strings.ReplaceAll(strings.Join(numbers, ";"), ".", ",") + "\n"
		turned += fmt.Sprintf(",s%d", i)
	}
	turned += "\n"
	for j := range cols {
		turned += string(rune('a' + j))
		for i := range rows {
			turned += fmt.Sprintf(",%v", value(i, j))
		}
		turned += "\n"
	}
	write(t, map[string]string{"plain.csv": plain, "named.csv": named, "german.csv": german, "turned.csv": turned})
}

// withoutFirst is CSV without its first column.
func withoutFirst(csv string) string {
	var all []string
	for _, line := range strings.Split(strings.TrimSpace(csv), "\n") {
		if _, rest, _ := strings.Cut(line, ","); rest != "" {
			all = append(all, rest)
		}
	}
	return strings.Join(all, "\n")
}
