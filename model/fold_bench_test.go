package model

import (
	"math/rand/v2"
	"testing"
)

// A new user with 100 ratings, at rank 100 and 4,000 items.
func BenchmarkFoldIn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const rank, items, rated = 100, 4000, 100
	m := &Model{Problem: "completion", Rows: 1, Cols: items, Rank: rank, S: make([]float64, rank), U: make([]float64, rank),
		V: make([]float64, items*rank), Global: 3.5, Info: Info{Lambda: 1}}
	for c := range m.S {
		m.S[c] = 100 - float64(c)
	}
	for k := range m.V {
		m.V[k] = r.NormFloat64() / 60
	}
	cols, values := make([]int32, rated), make([]float64, rated)
	for t := range cols {
		cols[t], values[t] = int32(t*items/rated), float64(1+r.IntN(5))
	}
	for b.Loop() {
		if _, err := m.FoldIn(cols, values, 10); err != nil {
			b.Fatal(err)
		}
	}
}

// A new user with 100 clicks, at rank 100 and 4,000 items.
func BenchmarkFoldInClicks(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const rank, items, clicked = 100, 4000, 100
	m := &Model{Problem: "completion", Rows: 1, Cols: items, Rank: rank, S: make([]float64, rank), U: make([]float64, rank),
		V: make([]float64, items*rank), Info: Info{Lambda: 10, Alpha: 5, Background: 1}}
	for c := range m.S {
		m.S[c] = 100 - float64(c)
	}
	for k := range m.V {
		m.V[k] = r.NormFloat64() / 60
	}
	u := NewUser{Cols: make([]int32, clicked), Values: make([]float64, clicked)}
	for t := range u.Cols {
		u.Cols[t], u.Values[t] = int32(t*items/clicked), 1
	}
	all := NewRecommender(m, 10)
	for b.Loop() {
		if _, err := all.FoldIn(u); err != nil {
			b.Fatal(err)
		}
	}
}
