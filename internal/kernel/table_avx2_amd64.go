//go:build !purego

package kernel

func avx2Float64() *kernels[float64] {
	s := plain[float64]()
	s.name = "avx2"
	s.dotRow = dotRowAVX2
	s.residualRow = residualRowAVX2
	s.passRow = passRowAVX2
	s.hessRow = hessRowAVX2
	s.gaussRow = gaussRowAVX2
	s.coreRow = coreRowAVX2
	s.spmmRow = spmmRowAVX2
	s.gatherRow = gatherRowAVX2
	s.scatterRow = scatterRowAVX2
	return s
}

func avx2Float32() *kernels[float32] {
	s := plain[float32]()
	s.name = "avx2"
	s.dotRow = dotRow32AVX2
	s.residualRow = residualRow32AVX2
	s.passRow = passRow32AVX2
	s.hessRow = hessRow32AVX2
	s.gaussRow = gaussRow32AVX2
	s.coreRow = coreRow32AVX2
	s.spmmRow = spmmRow32AVX2
	s.gatherRow = gatherRow32AVX2
	s.scatterRow = scatterRow32AVX2
	return s
}
