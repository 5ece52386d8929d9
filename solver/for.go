package solver

import "github.com/seed-b18ef778/gcg"

// mostDense is the number of entries of W up to which For takes proximal steps, which write W out.
const mostDense = 1 << 22

// For is the method and the improver that suit a problem, which may be used for all λ of it, and why. The improver is nil where
// the loss has no second derivatives and W is not to be written out. The penalty of p is not used.
func For(p *gcg.Problem) (m Method, im Improver, why string) {
	_, curved := p.Loss.(gcg.CurvedLoss)
	_, spectral := p.Gauge.(gcg.SpectralGauge)
	_, prox := p.Gauge.(gcg.ProxGauge)
	_, blocks := p.Gauge.(gcg.BlockGauge)
	rows, cols, _ := p.Operator.Dims()
	switch {
	case spectral && curved:
		return &GCG{Fresh: true}, &Local{}, "singular values: the factors of W are improved within their spaces and beyond them"
	case prox && !blocks && float64(rows)*float64(cols) <= mostDense:
		return &GCG{}, &Proximal{}, "an atom may have all entries or singular values: W is improved as a matrix"
	case curved:
		return &GCG{}, &Corrective{}, "few atoms: their weights are improved together"
	}
	return &GCG{}, nil, "the loss has no second derivatives: atoms are added one after the other"
}
