package views

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/task"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// settings is what the flags say of each view; the labels are behind the views.
type settings struct {
	radius, weight []float64
	loss           []task.Loss
}

// settings reads the flags of views.
func (f *flags) settings() (s settings, err error) {
	names := f.views
	if f.labels != "" {
		names = append(slices.Clone(names), f.labels)
	}
	s = settings{make([]float64, len(f.views)), make([]float64, len(names)), make([]task.Loss, len(names))}
	if f.radius != "" {
		if s.radius, err = Radii(f.radius, len(f.views)); err != nil {
			return s, err
		}
	}
	for _, text := range f.losses {
		view, word, all := cut(text)
		l, err := multiview.ParseLoss(word)
		if err != nil {
			return s, cli.Usagef("--loss %q: there are squared, huber:μ with a width μ > 0, and logistic", text)
		}
		if all {
			for v := range f.views {
				s.loss[v] = l
			}
			continue
		}
		at, err := placeOf("loss", text, view, names, f.labels != "")
		if err != nil {
			return s, err
		}
		s.loss[at] = l
	}
	for _, text := range f.weights {
		view, word, all := cut(text)
		w, err := strconv.ParseFloat(word, 64)
		if all || err != nil || !(w > 0) || math.IsInf(w, 0) {
			return s, cli.Usagef("--weight %q: VIEW=W, with a positive number W", text)
		}
		at, err := placeOf("weight", text, view, names, f.labels != "")
		if err != nil {
			return s, err
		}
		s.weight[at] = w
	}
	return s, nil
}

// Radii reads β,γ, or as many radii as there are views.
func Radii(text string, views int) ([]float64, error) {
	var all []float64
	for _, word := range strings.Split(text, ",") {
		r, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(r > 0) || math.IsInf(r, 0) {
			return nil, cli.Usagef("--radius %q: positive numbers, one for each view, with commas between", text)
		}
		all = append(all, r)
	}
	if len(all) != views {
		return nil, cli.Usagef("--radius %q: gives %d, for %d views", text, len(all), views)
	}
	return all, nil
}

// cut takes VIEW=VALUE apart; all says that there is no VIEW. Names of files may have = in them, and values do not.
func cut(text string) (view, value string, all bool) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return "", text, true
	}
	return text[:at], text[at+1:], false
}

// placeOf is the place of a view that is named by its file, with its folders or without, or by a number from 1. The labels, which
// may be the last of the names, are also called labels.
func placeOf(flag, text, view string, names []string, labels bool) (int, error) {
	if n, err := strconv.Atoi(view); err == nil && n >= 1 && n <= len(names) {
		return n - 1, nil
	}
	if labels && view == "labels" {
		return len(names) - 1, nil
	}
	if at := slices.Index(names, view); at >= 0 {
		return at, nil
	}
	at := slices.IndexFunc(names, func(n string) bool { return filepath.Base(n) == view })
	if at >= 0 && slices.IndexFunc(names[at+1:], func(n string) bool { return filepath.Base(n) == view }) < 0 {
		return at, nil
	}
	return 0, cli.Usagef("--%s %q: there is no view %q; it is a number from 1 to %d, or one of %s", flag, text, view, len(names),
		strings.Join(names, ", "))
}
