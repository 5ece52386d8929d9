package kernel

import (
	"os"
	"strings"
	"testing"
)

// The best implementation runs, and one that was switched off does not: a run of all tests without AVX-512
// (GODEBUG=cpu.avx512f=off) is a test of AVX2.
func TestName(t *testing.T) {
	all := implementations()
	t.Logf("kernels: %s, of %d", Name(), len(all))
	if Name() != all[len(all)-1].name || all[0].name != "plain" {
		t.Errorf("%s runs", Name())
	}
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.avx512f=off") && Name() == "avx512" {
		t.Error("AVX-512 was switched off and runs")
	}
}
