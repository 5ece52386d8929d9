package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestScaling(t *testing.T) {
	var costs []Cost
	for _, text := range []string{`{"observations":1000,"cpu_seconds":0.5,"peak_memory_bytes":2000000,"rank":3}`, `{"observations":50000,"cpu_seconds":20}`} {
		c, err := ReadCost(strings.NewReader(text), "r")
		if err != nil {
			t.Fatal(err)
		}
		costs = append(costs, c)
	}
	var b bytes.Buffer
	if err := Scaling(&b, "svg", costs); err != nil || !strings.Contains(b.String(), "CPU seconds") {
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
