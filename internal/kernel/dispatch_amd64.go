//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2
)

func implementations() []*implementation {
	all := []*implementation{plain()}
	if hasAVX2 {
		all = append(all, avx2())
	}
	if hasAVX512 {
		all = append(all, avx512())
	}
	return all
}
