package enum_test

import (
	"testing"

	"github.com/seed-b18ef778/gcg/internal/enum"
)

type shade int

func TestCheck(t *testing.T) {
	for value := range shade(3) {
		if err := enum.Check("paint: Shade", value, "Light", "Dim", "Dark"); err != nil {
			t.Error(err)
		}
	}
	for value, want := range map[shade]string{
		-1: "paint: Shade is -1; it is Light, Dim or Dark",
		3:  "paint: Shade is 3; it is Light, Dim or Dark",
	} {
		if err := enum.Check("paint: Shade", value, "Light", "Dim", "Dark"); err == nil || err.Error() != want {
			t.Errorf("%d: %v", value, err)
		}
	}
}
