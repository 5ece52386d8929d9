package spca

import (
	"fmt"
	"hash/crc64"
	"math"
	"strconv"

	"github.com/seed-b18ef778/gcg/model"
)

// model is of the scores of rows, Σᵢ vᵢ(xᵢ - meanᵢ)/scaleᵢ, one for each component: the refitted loadings V (variables ×
// components), with scales of the rows and with offsets. Info is that of the first component. What wrote it is the caller's to
// add.
func (p *Prepared) model(r *Result) *model.Model {
	t := p.task
	n, k := p.c.variables(), len(r.Components)
	m := &model.Model{Problem: "spca", Rows: n, Cols: k, RowIDs: p.Names(), Entries: &model.Entries{}}
	for j := range r.Components {
		m.ColIDs = append(m.ColIDs, fmt.Sprintf("PC%d", j+1))
	}
	for i := range n {
		for j := range r.Components {
			if x := r.Components[j].Loading[i]; x != 0 {
				m.Entries.Rows, m.Entries.Cols = append(m.Entries.Rows, int32(i)), append(m.Entries.Cols, int32(j))
				m.Entries.Values = append(m.Entries.Values, x)
			}
		}
	}
	x := r.Components[0].Result
	m.Info = model.Info{Status: string(x.Status), Lambda: r.Components[0].Lambda, Penalty: "l1", Iterations: x.Iter,
		Seed: p.opt.Run.Seed,
		Data: t.Name, Gauge: "spectrahedron", Loss: "linear", Checksum: p.checksum()}
	m.Info.Certify(x.State.Cert)
	if f, ok := p.c.(*featured); ok {
		m.Info.Observations = f.x.Rows
		m.ColOffset = make([]float64, k)
		if t.Standardize {
			m.RowScale = make([]float64, n)
		}
		for i := range n {
			if t.Standardize {
				m.RowScale[i] = 1 / f.scale[i]
			}
			for j := range r.Components {
				m.ColOffset[j] -= r.Components[j].Loading[i] * f.mean[i] / f.scale[i]
			}
		}
	}
	return m
}

// checksum tells data apart.
func (p *Prepared) checksum() string {
	sum, table := uint64(0), crc64.MakeTable(crc64.ECMA)
	for _, x := range p.c.diagonal() {
		sum = crc64.Update(sum, table, []byte(strconv.FormatUint(math.Float64bits(x), 16)))
	}
	return fmt.Sprintf("crc64:%016x", sum)
}
