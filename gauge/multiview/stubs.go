package multiview

import (
	"context"
	"errors"

	"github.com/seed-b18ef778/gcg"
)

var errLater = errors.New("multiview: label views and maps that are too large to be written out are being built")

func (k Views) labelPolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	return gcg.Polar{}, errLater
}
func (k Views) productPolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	return gcg.Polar{}, errLater
}
func (w *written) powerPolar(ask gcg.Ask) (gcg.Polar, bool) { return gcg.Polar{}, false }
