package views

import "github.com/seed-b18ef778/gcg"

// PowerCertified reports whether the power-like iteration from a random start ends with its certificate.
func PowerCertified(sizes []int, g gcg.Map, seed uint64) bool {
	_, ok := write(g, blocks(sizes, nil)).powerPolar(gcg.Ask{Seed: seed})
	return ok
}
