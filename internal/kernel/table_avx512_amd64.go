//go:build !purego

package kernel

func avx512Float64() *kernels[float64] {
	s := plain[float64]()
	s.name = "avx512"
	s.dotRow = dotRowAVX512
	s.residualRow = residualRowAVX512
	s.passRow = passRowAVX512
	s.hessRow = hessRowAVX512
	s.gaussRow = gaussRowAVX512
	s.coreRow = coreRowAVX512
	s.spmmRow = spmmRowAVX512
	s.gatherRow = gatherRowAVX512
	s.scatterRow = scatterRowAVX512
	return s
}

func avx512Float32() *kernels[float32] {
	s := plain[float32]()
	s.name = "avx512"
	s.dotRow = dotRow32AVX512
	s.residualRow = residualRow32AVX512
	s.passRow = passRow32AVX512
	s.hessRow = hessRow32AVX512
	s.gaussRow = gaussRow32AVX512
	s.coreRow = coreRow32AVX512
	s.spmmRow = spmmRow32AVX512
	s.gatherRow = gatherRow32AVX512
	s.scatterRow = scatterRow32AVX512
	return s
}
