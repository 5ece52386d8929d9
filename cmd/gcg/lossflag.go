package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// A lossWord is a parsed --loss.
type lossWord struct {
	name string
	mu   float64
	kind lossKind
}

// A lossKind is what a loss is told, and so what its predictions are worth.
type lossKind struct {
	signs         bool // of labels -1 and 1, not of numbers
	probabilities bool // its predictions are logits
	width         bool // takes a width μ
	usual         float64
}

var lossKinds = map[string]lossKind{
	"squared":        {},
	"huber":          {width: true, usual: 1},
	"absolute":       {width: true},
	"logistic":       {signs: true, probabilities: true},
	"smoothed-hinge": {signs: true, width: true, usual: 1},
	"squared-hinge":  {signs: true},
	"hinge":          {signs: true, width: true},
}

// lossWords lists what --loss of a PROBLEM allows.
func lossWords(problem string) []string {
	if problem == "classification" {
		return []string{"logistic (multinomial)", "smoothed-hinge[:μ]", "squared-hinge", "hinge:μ", "squared"}
	}
	return []string{"squared", "huber[:μ]", "absolute:μ", "logistic", "smoothed-hinge[:μ]", "squared-hinge", "hinge:μ"}
}

func parseLoss(problem, word string) (lossWord, error) {
	name, width, has := strings.Cut(word, ":")
	k, ok := lossKinds[name]
	if ok && problem == "classification" {
		ok = k.signs || name == "squared"
	}
	wrong := usagef("--loss %q: %s has %s", word, problem, strings.Join(lossWords(problem), ", "))
	if !ok || has && !k.width {
		return lossWord{}, wrong
	}
	l := lossWord{name: name, kind: k, mu: k.usual}
	if has {
		var err error
		if l.mu, err = strconv.ParseFloat(width, 64); err != nil || !(l.mu > 0) || math.IsInf(l.mu, 0) {
			return lossWord{}, usagef("--loss %q: the width μ is a positive number, as in %s:0.1", word, name)
		}
	} else if k.width && l.mu == 0 {
		return lossWord{}, usagef("--loss %q: it is smoothed with a width μ, so say %s:0.1, or another one", word, name)
	}
	if problem == "classification" { // one against the rest is made of signs, whatever the loss
		l.kind.signs = true
	}
	return l, nil
}

// of is the loss of targets or signs y with weights, rows of which blocks do not cut.
func (l lossWord) of(y, omega []float64, mean bool, group int) gcg.Loss {
	switch l.name {
	case "huber":
		return &loss.Huber{Y: y, Mu: l.mu, Omega: omega, Mean: mean, Group: group}
	case "absolute":
		return &loss.Smoothed{Loss: &loss.Absolute{Y: y}, Mu: l.mu, Omega: omega, Mean: mean, Group: group}
	case "logistic":
		return &loss.Logistic{Y: y, Omega: omega, Mean: mean, Group: group}
	case "smoothed-hinge":
		return &loss.SmoothedHinge{Y: y, Mu: l.mu, Omega: omega, Mean: mean, Group: group}
	case "squared-hinge":
		return &loss.SquaredHinge{Y: y, Omega: omega, Mean: mean, Group: group}
	case "hinge":
		return &loss.Smoothed{Loss: &loss.Hinge{Y: y}, Mu: l.mu, Omega: omega, Mean: mean, Group: group}
	}
	return &loss.Squared{Y: y, Omega: omega, Mean: mean, Group: group}
}

// ofClasses is the multinomial logistic loss, or one of each class against the rest.
func (l lossWord) ofClasses(class []int32, classes int, omega []float64, mean bool) gcg.Loss {
	if l.name == "logistic" {
		return &loss.Softmax{Labels: class, Classes: classes, Omega: omega, Mean: mean}
	}
	y := slices.Repeat([]float64{-1}, len(class)*classes)
	for i, c := range class {
		y[i*classes+int(c)] = 1
	}
	var each []float64
	for _, w := range omega {
		for range classes {
			each = append(each, w)
		}
	}
	return l.of(y, each, mean, classes)
}
