//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2
)

func implementations64() []*kernels[float64] {
	all := []*kernels[float64]{plain[float64]()}
	if hasAVX2 {
		all = append(all, avx2Float64())
	}
	if hasAVX512 {
		all = append(all, avx512Float64())
	}
	return all
}

func implementations32() []*kernels[float32] {
	all := []*kernels[float32]{plain[float32]()}
	if hasAVX2 {
		all = append(all, avx2Float32())
	}
	if hasAVX512 {
		all = append(all, avx512Float32())
	}
	return all
}
