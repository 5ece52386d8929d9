package solver

import "github.com/seed-b18ef778/gcg"

// A whole reports the stages that lead to a problem as one run of it: iterations and times count from the first stage on, and
// the certificate is that of the problem. Every iterate of a stage is one of the problem, too: its objective is L(A W) + h(ρ),
// and where the stage has the same loss its polar bounds the optimum of the problem as well.
type whole struct {
	p           *gcg.Problem // with its own penalty and loss
	last, wider bool         // the stage is the last; it has another loss
	done        Result       // the work of the stages before
	count       gcg.Count    // likewise
	cert        gcg.Certificate
	failed      float64 // the probability that a bound of the stages before fails
}

// options are those of a stage, whose reports go by way of w.
func (w *whole) options(opt Options, last, wider bool) Options {
	w.last, w.wider = last, wider
	if event := opt.Event; event != nil {
		opt.Event = func(e Event) {
			if !last && e.Status != "" { // the next stage begins here
				return
			}
			e.State, e.Iter, e.Elapsed = w.state(e.State), e.Iter+w.done.Iter, e.Elapsed+w.done.Elapsed
			e.Split.add(w.done.Split)
			event(e)
		}
	}
	if checkpoint := opt.Checkpoint; checkpoint != nil {
		opt.Checkpoint = func(s *gcg.State) error { return checkpoint(w.state(s)) }
	}
	opt.Exact = opt.Exact && last
	return opt
}

// state is a state of a stage as one of the problem. It shares all but numbers.
func (w *whole) state(s *gcg.State) *gcg.State {
	at, o := *s, *s.Oracle
	o.Count.Add(w.count)
	at.Iter, at.Oracle = at.Iter+w.done.Iter, &o
	if w.last {
		return &at
	}
	if w.wider { // the gradient of its loss says nothing of the problem's optimum
		at.Polar = nil
		at.Loss = w.p.Sum(func(lo, hi int) float64 { return w.p.Loss.Eval(lo, s.Z[lo:hi], nil) })
	}
	at.Cert = w.cert
	at.Certify(w.p)
	at.Cert.Failure = w.failed + s.Cert.Failure
	w.cert, at.Polar = at.Cert, s.Polar
	return &at
}

// add adds the work of a stage.
func (w *whole) add(r *Result) {
	w.done.add(r)
	w.failed += r.State.Cert.Failure
	w.count.Add(r.State.Count)
}

// total gives the result of the last stage the work of all.
func (w *whole) total(r *Result) {
	if w.last {
		r.Iter, r.Elapsed, r.CPU, r.Uncharged, r.Split = w.done.Iter, w.done.Elapsed, w.done.CPU, w.done.Uncharged, w.done.Split
		r.State.Count = w.count
	}
}

// add adds times.
func (s *Split) add(o Split) {
	s.Polar += o.Polar
	s.Step += o.Step
	s.Improve += o.Improve
	s.Certificate += o.Certificate
}
