package multiview

import (
	"context"
	"github.com/seed-b18ef778/gcg"
)

func (k Views) labelPolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	panic(0)
}
func (k Views) productPolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	panic(0)
}
func (w *written) powerPolar(ask gcg.Ask) (gcg.Polar, bool) { return gcg.Polar{}, false }
