package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestScaling(t *testing.T) {
	var costs []Cost
	for _, text := range []string{`{"observations":1000,"cpu_seconds":0.5,"peak_memory_bytes":2000000,"rank":3}`,
		`{"observations":50000,"cpu_seconds":20,"peak_memory_bytes":90000000}`} {
		c, err := ReadCost(strings.NewReader(text), "r")
		if err != nil {
			t.Fatal(err)
		}
		costs = append(costs, c)
	}
	var b bytes.Buffer
	if err := Scaling(&b, "svg", costs); err != nil || !strings.Contains(b.String(), ">CPU time (s)<") ||
		!strings.Contains(b.String(), ">peak memory (GB)<") {
		t.Errorf("%v: %.200s", err, b.String())
	}
	same := []Cost{costs[0], costs[0]}
	if err := Scaling(&b, "svg", same); err != nil {
		t.Errorf("two runs of one size: %v", err)
	}
	if err := Scaling(&b, "svg", costs[:1]); err == nil {
		t.Error("one run is drawn")
	}
	for _, bad := range []string{"", "{}", "[1]", `{"observations":5,"cpu_seconds":-1}`, `{"observations":0,"cpu_seconds":1}`} {
		if _, err := ReadCost(strings.NewReader(bad), "bad"); err == nil || !strings.HasPrefix(err.Error(), "bad: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Runs that logarithmic axes cannot hold are errors that say which, and nothing is drawn.
func TestScalingRefuses(t *testing.T) {
	good := Cost{Observations: 10, CPU: 1}
	for _, bad := range []Cost{{}, {Observations: -3, CPU: 1}, {Observations: 3}, {Observations: 3, CPU: math.NaN()},
		{Observations: 3, CPU: math.Inf(1)}, {Observations: 3, CPU: 1, Memory: -1}} {
		for at, costs := range [][]Cost{{bad, bad}, {good, bad}} {
			var b bytes.Buffer
			err := Scaling(&b, "svg", costs)
			if want := fmt.Sprintf("report: run %d has no place", at+1); err == nil || !strings.HasPrefix(err.Error(), want) ||
				b.Len() > 0 {
				t.Errorf("%+v: %v", costs, err)
			}
		}
	}
}
