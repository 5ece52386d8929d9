package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestPolar(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"G": "3,0\n0,-4\n", "N": "-3,-1\n-1,-4\n", "W": "3,0,1\n0,-4,1\n", "groups": "1\n2\n",
		"priced": "1\n4: 2\n"})
	for args, want := range map[string]float64{"trace": 4, "l1": 4, "positive-l1": 3, "simplex": 3, "group": 4, "columns": 4,
		"group-inf": 4, "schatten:2": 5,
		"lp:2": 5, "lp:inf": 7, "schatten:inf": 7, "factor:inf,inf": 7, "factor:2,inf": 5, "factor:1,1": 4, "psd-trace": 3, "spectrahedron": 3, "group:groups": 4,
		"group:priced": 3, "group-inf:priced,by-size": 3 / math.Sqrt2} {
		r := gcgJSON2(t, "polar "+args+" --matrix G --json")
		near(t, args, r["value"], want, 1e-8)
		near(t, args+"'s bound", r["bound"], want, 1e-6)
		if r["exact"] != true || r["alpha"] != 1.0 || r["atom"] == nil {
			t.Errorf("%s: %v", args, r)
		}
	}
	near(t, "positive-l1 where nothing is positive", gcgJSON2(t, "polar positive-l1 --matrix N --json")["value"], 0, 0)
	if a, ok := gcgJSON2(t, "polar positive-l1 --matrix N --json")["atom"]; ok {
		t.Errorf("0 is attained by no atom of the positive ℓ1 norm, but %v is shown", a)
	}
	near(t, "simplex there", gcgJSON2(t, "polar simplex --matrix N --json")["value"], -1, 0)
	for args, want := range map[string]string{"polar": "takes one gauge", "polar up --matrix G": "there are l1",
		"polar trace": "--matrix", "polar lp:x --matrix G": "lp:x"} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %q", args, code, errs)
		}
	}
	complains(t, "W", ": is 2×3", "polar", "psd-trace", "--matrix", "W")
	complains(t, "nowhere", ": ", "polar", "trace", "--matrix", "nowhere")
	write(t, map[string]string{"H": "a,b,c\n1,2,3\n4,5,6\n", "named": "c\nb,a\n"}) // names of columns, where groups are of rows
	complains(t, "named", `: group 1 holds "c", which is no feature: give names, or numbers from 1 to 2`, "polar", "group:named",
		"--matrix", "H")
	write(t, map[string]string{"S": "%%MatrixMarket matrix coordinate real general\n1000000 2147483647 1\n1 1 3\n"})
	complains(t, "S", ": is 1000000 × 2147483647; its entries, all written out, take 17179869", "polar", "l1", "--matrix", "S")
}

// gcgJSON2 is gcgJSON for verbs without --quiet.
func gcgJSON2(t *testing.T, args string) map[string]any {
	t.Helper()
	out, errs, code := command(t, strings.Fields(args)...)
	var r map[string]any
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatalf("%s: exit %d, %q, %q", args, code, out, errs)
	}
	return r
}

// An approximate bound says with which probability it fails, where it rests on random starts.
func TestApproximateBoundsMayFail(t *testing.T) {
	t.Chdir(t.TempDir())
	for n, may := range map[int]bool{40: false, 258: true} {
		var text strings.Builder
		for i := range n {
			for j := range n {
				fmt.Fprintf(&text, "%d,", (i*i+3*j*i+7*j)%23-11)
			}
			text.WriteString("1\n")
		}
		write(t, map[string]string{"g.csv": text.String()})
		out, errs, code := command(t, "polar", "factor:inf,2", "--matrix", "g.csv", "--json")
		if code != 0 || !strings.Contains(out, `"certificate":"approximate"`) ||
			strings.Contains(out, `"failure_probability":1e-9`) != may {
			t.Errorf("%d rows: exit %d, %.200s%s", n, code, out, errs)
		}
	}
}

// Singular values that Lanczos steps do not part leave neither the value nor the bound short of --tol.
func TestPolarOfCloseSingularValues(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 300
	var b strings.Builder
	b.WriteString("%%MatrixMarket matrix coordinate real symmetric\n")
	fmt.Fprintf(&b, "%d %d %d\n", n, n, 2*n-1)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d %d 2\n", i, i)
		if i > 1 {
			fmt.Fprintf(&b, "%d %d -1\n", i, i-1)
		}
	}
	write(t, map[string]string{"path.mtx": b.String()})
	want := 2 + 2*math.Cos(math.Pi/(n+1)) // the largest eigenvalue of a path's second difference
	r := gcgJSON2(t, "polar trace --matrix path.mtx --json")
	near(t, "the value", r["value"], want, 1e-12*want)
	near(t, "the bound", r["bound"], want, 1e-9*want)
}
