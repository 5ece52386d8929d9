package model

import "fmt"

// A View is a view of the samples, or their labels: some of the rows of a model of views, in the order of Info.Views. The columns
// are the samples of training. V has orthonormal columns, and (U √S)(V √S)ᵀ is W as atoms: the columns of U √S are the
// dictionary, the rows of V √S the codes.
type View struct {
	Name     string  `json:"name"`
	Features int     `json:"features"`
	Radius   float64 `json:"radius,omitempty"` // 0 of labels, whose entries in a dictionary are ±1
	Loss     string  `json:"loss"`
	Weight   float64 `json:"weight"` // of an entry's loss
	Labels   bool    `json:"labels,omitempty"`
	Classes  bool    `json:"classes,omitempty"` // a sample has one of the labels
	ZeroOne  bool    `json:"zero_one,omitempty"`
	// Outputs are the names of the labels; of two classes both, of which the second is predicted by a positive number.
	Outputs []string `json:"outputs,omitempty"`
}

// checkViews refuses views that are not all of so many rows.
func (i *Info) checkViews(rows int) error {
	if i.Views == nil {
		return nil
	}
	sum := 0
	for _, v := range i.Views {
		if v.Features < 1 || v.Features > rows {
			return fmt.Errorf("its view %q has %d features", v.Name, v.Features)
		}
		if outputs := len(v.Outputs); v.Labels && outputs != v.Features && !(v.Classes && outputs == 2 && v.Features == 1) {
			return fmt.Errorf("its labels %q have %d names for %d rows", v.Name, outputs, v.Features)
		}
		sum += v.Features
	}
	if sum != rows {
		return fmt.Errorf("its views have %d features in its %d rows", sum, rows)
	}
	return nil
}
