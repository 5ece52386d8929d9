//go:build !purego

package kernel

func avx512Float64() *kernels[float64] {
	return &kernels[float64]{
		name:         "avx512",
		dotRow:       dotRowAVX512,
		dotRows:      dotRowsAVX512,
		residualRow:  residualRowAVX512,
		residualRows: residualRowsAVX512,
		passRow:      passRowAVX512,
		passRows:     passRowsAVX512,
		hessRow:      hessRowAVX512,
		hessRows:     hessRowsAVX512,
		gaussRow:     gaussRowAVX512,
		coreRow:      coreRowAVX512,
		spmmRow:      spmmRowAVX512,
		spmmRows:     spmmRowsAVX512,
		gatherRow:    gatherRowAVX512,
		scatterRow:   scatterRowAVX512,
		gramTile:     [...]gramTile[float64]{gram1xAVX512, gram2xAVX512, gram3xAVX512},
		gramRows:     8,
		gramLanes:    8,
		tile:         [...]tile[float64]{tile1xAVX512, tile2xAVX512, tile3xAVX512},
		mr:           8,
		lanes:        8,
		dot:          dotAVX512,
		axpy:         axpyAVX512,
		scale:        scaleAVX512,
		max:          maxAVX512,
		expTo:        expAVX512,
	}
}

func avx512Float32() *kernels[float32] {
	return &kernels[float32]{
		name:         "avx512",
		dotRow:       dotRow32AVX512,
		dotRows:      dotRows32AVX512,
		residualRow:  residualRow32AVX512,
		residualRows: residualRows32AVX512,
		passRow:      passRow32AVX512,
		passRows:     passRows32AVX512,
		hessRow:      hessRow32AVX512,
		hessRows:     hessRows32AVX512,
		gaussRow:     gaussRow32AVX512,
		coreRow:      coreRow32AVX512,
		spmmRow:      spmmRow32AVX512,
		spmmRows:     spmmRows32AVX512,
		gatherRow:    gatherRow32AVX512,
		scatterRow:   scatterRow32AVX512,
		gramTile:     [...]gramTile[float32]{gram1x32AVX512, gram2x32AVX512, gram3x32AVX512},
		gramRows:     8,
		gramLanes:    8,
		tile:         [...]tile[float32]{tile1x32AVX512, tile2x32AVX512, tile3x32AVX512},
		mr:           8,
		lanes:        16,
		dot:          dot32AVX512,
		axpy:         axpy32AVX512,
		scale:        scale32AVX512,
		max:          max32AVX512,
		expTo:        exp32AVX512,
	}
}
