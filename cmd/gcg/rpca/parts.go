package rpca

import (
	"math"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

// outputs are the files that the parts of D are written to.
type outputs struct {
	lowRank, sparse, sheet string
	images                 cli.ImageFlags
}

// names are those of the files; no name is none.
func (o *outputs) names() []string { return []string{o.lowRank, o.sparse, o.sheet} }

// check refuses files that no part is written to.
func (o *outputs) check() error {
	for _, name := range o.names() {
		if err := o.images.Check(name); err != nil {
			return err
		}
	}
	if o.sheet != "" && !output.IsImage(o.sheet) {
		return cli.Usagef("--sheet %s: is a picture, .png or .pgm", o.sheet)
	}
	if o.images.Set() && !o.hasImages() {
		return cli.Usagef("--image-size: goes with --sheet FILE.png, or --low-rank or --sparse with such a name")
	}
	return nil
}

// hasImages says that a file is an image.
func (o *outputs) hasImages() bool {
	for _, name := range o.names() {
		if output.IsImage(name) {
			return true
		}
	}
	return false
}

// write writes both parts of D.
func (j *job) write(parts *rpca.Parts, m *model.Model) error {
	o, low := &j.f.outputs, &dataset.Matrix{Rows: j.Rows, Cols: j.Cols, Dense: parts.LowRank}
	if j.f.features != "" { // of entries every row and column has an id, of which arrays of numbers need none
		low.Names, low.RowNames = j.ColIDs, j.RowIDs
	}
	d := j.matrix()
	if o.lowRank != "" {
		if err := o.images.Write(o.lowRank, low, d); err != nil {
			return err
		}
	}
	if err := o.writeSparse(parts, d, m); err != nil {
		return err
	}
	if o.sheet == "" {
		return nil
	}
	images, err := o.images.Images()
	if err != nil {
		return err
	}
	rows, images := spread(j.Rows), images.Greys(d)
	return images.Write(o.sheet, d.Subset(rows), low.Subset(rows), aroundGrey(sparse(parts, d), images).Subset(rows))
}

// matrix is D, with NaN where it is not known.
func (j *job) matrix() *dataset.Matrix {
	d := &dataset.Matrix{Rows: j.Rows, Cols: j.Cols, Dense: j.Values}
	if j.Ptr == nil {
		return d
	}
	d.Dense = make([]float64, d.Rows*d.Cols)
	for e := range d.Dense {
		d.Dense[e] = math.NaN()
	}
	for i := range d.Rows {
		for e := j.Ptr[i]; e < j.Ptr[i+1]; e++ {
			d.Dense[i*d.Cols+int(j.Index[e])] = j.Values[e]
		}
	}
	return d
}

// sparse is S as a matrix, with NaN where D is not known.
func sparse(p *rpca.Parts, d *dataset.Matrix) *dataset.Matrix {
	s := &dataset.Matrix{Rows: d.Rows, Cols: d.Cols, Dense: make([]float64, len(d.Dense))}
	for e, x := range d.Dense {
		s.Dense[e] = x - x // NaN remains
	}
	for e, v := range p.Values {
		s.Dense[int(p.Rows[e])*s.Cols+int(p.Cols[e])] = v
	}
	return s
}

// writeSparse writes S: an image, an array, or as text its entries alone.
func (o *outputs) writeSparse(p *rpca.Parts, d *dataset.Matrix, m *model.Model) error {
	switch {
	case o.sparse == "":
		return nil
	case output.IsImage(o.sparse):
		images, err := o.images.Images()
		if err != nil {
			return err
		}
		images = images.Greys(d)
		return images.Write(o.sparse, aroundGrey(sparse(p, d), images))
	case strings.EqualFold(filepath.Ext(o.sparse), ".npy"):
		return output.Matrix(o.sparse, sparse(p, d))
	}
	return cli.WriteRecords(o.sparse, nil, entryRecords(p, m.RowIDs, m.ColIDs))
}

// entryRecords are those of S: row, column and value.
func entryRecords(p *rpca.Parts, rows, cols []string) dataset.Records {
	fields := []dataset.Field{{Name: "row"}, {Name: "column"}, {Name: "value", Kind: dataset.NumberField}}
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		for e, v := range p.Values {
			if !yield([]dataset.Cell{{Text: rows[p.Rows[e]]}, {Text: cols[p.Cols[e]]}, {Number: v}}, nil) {
				return
			}
		}
	}}
}

// aroundGrey is S to be drawn with the black and white of D: 0 is the grey between, shadows are darker and lights brighter.
func aroundGrey(s *dataset.Matrix, o output.Images) *dataset.Matrix {
	for e := range s.Dense {
		s.Dense[e] += (o.Lo + o.Hi) / 2
	}
	return s
}

// sheetColumns is how many images a person compares at a glance.
const sheetColumns = 16

// spread are rows of D from its first to its last, equally far from each other.
func spread(n int) []int32 {
	rows := make([]int32, min(n, sheetColumns))
	for c := range rows {
		rows[c] = int32(c * n / len(rows))
	}
	return rows
}
