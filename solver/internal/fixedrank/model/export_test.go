package model

import "github.com/seed-b18ef778/gcg"

// KeepsColumns says that the columns of which H is formed are kept.
func (f *FormPolicy) KeepsColumns() bool { return f.columns != nil }

// SpectrumOf is that of K, see Basis.spectrum.
func (b *Basis) SpectrumOf(k *gcg.Factor) Spectrum[float64] { return b.spectrum(k) }
