package loss

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Cox is the negative log partial likelihood of times until an event, of which some are only known to be longer [Cox 1972], with
// equal times as Breslow (1974) has them:
//
//	L(z) = c Σ_i ωᵢδᵢ (log Σ_{j: tⱼ ≥ tᵢ} ωⱼ exp(zⱼ) - zᵢ)
//
// with δᵢ = 1 where the event was seen at tᵢ, and c = 1 for a sum and 1/N for a mean. z is the logarithm of a hazard over one
// that all share; constants added to it change nothing. Each event couples all observations that are at risk then,
// so that the loss is one block: its stride is its length. Make one with [NewCox].
type Cox struct {
	n      int
	events []float64 // ωᵢδᵢ
	omega  []float64 // nil for ones
	order  []int32   // observations of positive weight by descending time, at equal times in any order
	ties   []tie     // of the order
	total  float64   // Σ ωδ
	c      float64
}

// A tie is the observations order[from:to] of one time, and the weight of the events among them.
type tie struct {
	from, to int
	weight   float64
}

// NewCox makes the loss of times, not below 0, of which event says whether they are those of the event; omega are weights ≥ 0, or
// nil for ones. Errors are of times or weights out of range, and of no event.
func NewCox(time []float64, event []bool, omega []float64, mean bool) (*Cox, error) {
	if err := first(checkTargets(time), checkWeights(omega, len(time))); err != nil {
		return nil, err
	}
	if len(event) != len(time) {
		return nil, fmt.Errorf("loss: there are %d events for %d times; give one each", len(event), len(time))
	}
	l := &Cox{n: len(time), events: make([]float64, len(time)), omega: omega, c: scale(mean, len(time))}
	for i, t := range time {
		w := weight(omega, i)
		if w == 0 {
			continue
		}
		if t < 0 {
			return nil, fmt.Errorf("loss: the time of observation %d is %v; times are not below 0", i+1, t)
		}
		if event[i] {
			l.events[i] = w
			l.total += w
		}
		l.order = append(l.order, int32(i))
	}
	if l.total == 0 {
		return nil, errors.New("loss: no event was seen; the partial likelihood is of events")
	}
	slices.SortStableFunc(l.order, func(a, b int32) int {
		switch x, y := time[a], time[b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for from := 0; from < len(l.order); {
		t := tie{from: from, to: from}
		for ; t.to < len(l.order) && time[l.order[t.to]] == time[l.order[from]]; t.to++ {
			t.weight += l.events[l.order[t.to]]
		}
		l.ties = append(l.ties, t)
		from = t.to
	}
	return l, nil
}

func (l *Cox) Len() int        { return l.n }
func (l *Cox) Stride() int     { return l.n }
func (l *Cox) Separable() bool { return l.n == 1 }

// Curvature is c Σ ωδ/2: ∇² of the logarithm of a sum of exponentials has eigenvalues of at most ½.
func (l *Cox) Curvature() float64 { return l.c * l.total / 2 }

// Infimum is c Σ d log d over the weights d of the events of each time: that of risks that fall fast enough with time.
func (l *Cox) Infimum() (sum float64) {
	for _, t := range l.ties {
		sum += xlogx(t.weight, 1)
	}
	return l.c * sum
}

// A scaled is a sum of terms x exp(a) whose largest a is taken out, lest one overflows or all vanish: sum · exp(top).
type scaled struct{ top, sum, with float64 }

func newScaled() scaled { return scaled{top: math.Inf(-1)} }

// add adds x exp(a), and x y exp(a) to a second sum of the same scale.
func (s *scaled) add(a, x, y float64) {
	if a > s.top {
		by := math.Exp(s.top - a)
		s.top, s.sum, s.with = a, s.sum*by, s.with*by
	}
	e := x * math.Exp(a-s.top)
	s.sum += e
	s.with += e * y
}

func (s *scaled) log() float64 { return s.top + math.Log(s.sum) }

// atRisk writes log S for each tie, S = Σ ω exp(z) over those of its time and later, and the mean of e over them unless e is nil.
func (l *Cox) atRisk(logs, means, z, e []float64) {
	s := newScaled()
	for k, t := range l.ties {
		for _, i := range l.order[t.from:t.to] {
			y := 0.0
			if e != nil {
				y = e[i]
			}
			s.add(z[i], weight(l.omega, int(i)), y)
		}
		if logs[k] = s.log(); e != nil {
			means[k] = s.with / s.sum
		}
	}
}

func (l *Cox) Eval(_ int, z, r []float64) (value float64) {
	logs := memory.Borrow[float64](len(l.ties))
	defer memory.Repay(logs)
	l.atRisk(logs, nil, z, nil)
	for k, t := range l.ties {
		if t.weight == 0 {
			continue
		}
		for _, i := range l.order[t.from:t.to] {
			value += l.events[i] * (logs[k] - z[i])
		}
	}
	if r == nil {
		return l.c * value
	}
	pi := memory.Borrow[float64](len(z)) // r may be z
	defer memory.Repay(pi)
	clear(pi)
	hazard := newScaled() // Σ d/S over the times until now
	for k := len(l.ties) - 1; k >= 0; k-- {
		t := l.ties[k]
		if t.weight > 0 {
			hazard.add(-logs[k], t.weight, 0)
		}
		for _, i := range l.order[t.from:t.to] {
			pi[i] = weight(l.omega, int(i)) * math.Exp(z[i]+hazard.top) * hazard.sum
		}
	}
	for i, p := range pi {
		r[i] = l.c * (l.events[i] - p)
	}
	return l.c * value
}

// HessTo writes dstᵢ = c ωᵢ exp(zᵢ) Σ d/S (eᵢ - ē) over the events until tᵢ, ē the mean of e over those at risk.
func (l *Cox) HessTo(dst []float64, _ int, z, e []float64) {
	buf := memory.Borrow[float64](2*len(l.ties) + len(z))
	defer memory.Repay(buf)
	logs, means, all := buf[:len(l.ties)], buf[len(l.ties):2*len(l.ties)], buf[2*len(l.ties):]
	l.atRisk(logs, means, z, e)
	clear(all)
	hazard := newScaled()
	for k := len(l.ties) - 1; k >= 0; k-- {
		t := l.ties[k]
		if t.weight > 0 {
			hazard.add(-logs[k], t.weight, means[k])
		}
		for _, i := range l.order[t.from:t.to] {
			all[i] = l.c * weight(l.omega, int(i)) * math.Exp(z[i]+hazard.top) * (hazard.sum*e[i] - hazard.with)
		}
	}
	copy(dst, all)
}

// Conjugate at p = -s r is, with q = p/c + ωδ ≥ 0 and c = 1, the least of Σ_k Σ_j q_kj log(q_kj/(d_k ωⱼ)) over the ways to give
// each q_j to the events k until tⱼ so that each gets its d_k. It is attained at q_kj = q_j h_k/H_j, h_k = d_k/S_k and H_j their
// sum until tⱼ. From the last event on, M_k is what those at risk have left: S_k H_k. So H falls by the part d_k/M_k from event
// to event. The conjugate is +Inf where an event does not get its own, or something is left.
func (l *Cox) Conjugate(lo int, r []float64, s float64) float64 { return l.ConjugateAlong(lo, r)(s) }

// ConjugateAlong adds up the q between events once, and keeps their logarithms apart.
func (l *Cox) ConjugateAlong(_ int, r []float64) func(s float64) float64 {
	q := make([]float64, len(l.order)) // s q + (1-s) ωδ, by descending times
	for t, i := range l.order {
		q[t] = l.events[i] - r[i]/l.c
	}
	outside := l.unweighted(r)
	return func(s float64) float64 {
		if outside && s != 0 {
			return math.Inf(1)
		}
		return l.c * l.entropy(q, s)
	}
}

// unweighted says that r is not 0 where an observation weighs nothing.
func (l *Cox) unweighted(r []float64) bool {
	if l.omega == nil {
		return false
	}
	for i, w := range l.omega {
		if w == 0 && r[i] != 0 {
			return true
		}
	}
	return false
}

// entropy is the conjugate at s q + (1-s) ωδ, without c.
func (l *Cox) entropy(q []float64, s float64) (value float64) {
	rounded := offSimplex * l.total
	left, logH := 0.0, 0.0 // M, and log H, whose scale is free
	between := 0.0         // what is added to M
	for _, t := range l.ties {
		for at := t.from; at < t.to; at++ {
			x := s*q[at] + (1-s)*l.events[l.order[at]]
			if !(x >= -domainRounding*l.total) {
				return math.Inf(1)
			}
			if x > 0 {
				value += x * math.Log(x/weight(l.omega, int(l.order[at])))
				between += x
			}
		}
		if t.weight == 0 {
			continue
		}
		value -= between * logH
		left, between = left+between, 0
		rest := left - t.weight
		if !(rest >= -rounded) {
			return math.Inf(1)
		}
		value -= t.weight * (math.Log(left) - logH)
		if rest > l.total*0x1p-52 {
			logH += math.Log(rest / left)
			left = rest
		} else { // those until here have had their own: earlier ones are incomparably larger, on a scale of their own
			left, logH = 0, 0
		}
	}
	if !(left+between <= rounded) {
		return math.Inf(1)
	}
	return value
}
