//go:build !purego

package kernel

func avx2Float64() *kernels[float64] {
	return &kernels[float64]{
		name:         "avx2",
		dotRow:       dotRowAVX2,
		dotRows:      dotRowsAVX2,
		residualRow:  residualRowAVX2,
		residualRows: residualRowsAVX2,
		passRow:      passRowAVX2,
		passRows:     passRowsAVX2,
		hessRow:      hessRowAVX2,
		hessRows:     hessRowsAVX2,
		gaussRow:     gaussRowAVX2,
		coreRow:      coreRowAVX2,
		spmmRow:      spmmRowAVX2,
		spmmRows:     spmmRowsAVX2,
		gatherRow:    gatherRowAVX2,
		scatterRow:   scatterRowAVX2,
		gramTile:     [...]gramTile[float64]{gram1xAVX2, gram2xAVX2, gram3xAVX2},
		gramRows:     4,
		gramLanes:    4,
		tile:         [...]tile[float64]{tile1xAVX2, tile2xAVX2, tile3xAVX2},
		mr:           4,
		lanes:        4,
		dot:          dotAVX2,
		axpy:         axpyAVX2,
		scale:        scaleAVX2,
		max:          maxAVX2,
		expTo:        expAVX2,
	}
}

func avx2Float32() *kernels[float32] {
	return &kernels[float32]{
		name:         "avx2",
		dotRow:       dotRow32AVX2,
		dotRows:      dotRows32AVX2,
		residualRow:  residualRow32AVX2,
		residualRows: residualRows32AVX2,
		passRow:      passRow32AVX2,
		passRows:     passRows32AVX2,
		hessRow:      hessRow32AVX2,
		hessRows:     hessRows32AVX2,
		gaussRow:     gaussRow32AVX2,
		coreRow:      coreRow32AVX2,
		spmmRow:      spmmRow32AVX2,
		spmmRows:     spmmRows32AVX2,
		gatherRow:    gatherRow32AVX2,
		scatterRow:   scatterRow32AVX2,
		gramTile:     [...]gramTile[float32]{gram1x32AVX2, gram2x32AVX2, gram3x32AVX2},
		gramRows:     4,
		gramLanes:    8,
		tile:         [...]tile[float32]{tile1x32AVX2, tile2x32AVX2, tile3x32AVX2},
		mr:           4,
		lanes:        8,
		dot:          dot32AVX2,
		axpy:         axpy32AVX2,
		scale:        scale32AVX2,
		max:          max32AVX2,
		expTo:        exp32AVX2,
	}
}
