//go:build !purego

package kernel

func avx2Float64() *kernels[float64] {
	return &kernels[float64]{
		name:         "avx2",
		dotRows:      dotRowsAVX2,
		residualRows: residualRowsAVX2,
		gradientRows: gradientRowsAVX2,
		passRows:     passRowsAVX2,
		hessRows:     hessRowsAVX2,
		coreRows:     coreRowsAVX2,
		columnRows:   columnRowsAVX2,
		spmmRows:     spmmRowsAVX2,
		gatherRows:   gatherRowsAVX2,
		scatterRows:  scatterRowsAVX2,
		packRows:     packRowsAVX2,
		packedGradient: [...]func(g, p, u []float64, k int, ptr []int64) float64{
			packedGradient4xAVX2, packedGradient8xAVX2, packedGradient12xAVX2, packedGradient16xAVX2,
		},
		packedCore: [...]func(h, p, d []float64, k int, ptr []int64){
			packedCore4xAVX2, packedCore8xAVX2, packedCore12xAVX2, packedCore16xAVX2,
		},
		packedSquare: [...]func(squares, p, d []float64, k int, ptr []int64){
			packedSquare4xAVX2, packedSquare8xAVX2, packedSquare12xAVX2, packedSquare16xAVX2,
		},
		beginRows: beginRowsAVX2,
		stepRows:  stepRowsAVX2,
		lastRows:  lastRowsAVX2,
		tile:      [...]tile[float64]{tile1xAVX2, tile2xAVX2, tile3xAVX2},
		mr:        4,
		lanes:     4,
		dot:       dotAVX2,
		axpy:      axpyAVX2,
		scale:     scaleAVX2,
		hadamard:  hadamardAVX2,
		max:       maxAVX2,
		expTo:     expAVX2,
		rotate:    rotateAVX2,
		rankTwo:   rankTwoAVX2,
		entropy:   entropyAVX2,
		logTo:     logAVX2,
	}
}

func avx2Float32() *kernels[float32] {
	return &kernels[float32]{
		name:         "avx2",
		dotRows:      dotRows32AVX2,
		residualRows: residualRows32AVX2,
		gradientRows: gradientRows32AVX2,
		passRows:     passRows32AVX2,
		hessRows:     hessRows32AVX2,
		coreRows:     coreRows32AVX2,
		columnRows:   columnRows32AVX2,
		spmmRows:     spmmRows32AVX2,
		gatherRows:   gatherRows32AVX2,
		scatterRows:  scatterRows32AVX2,
		packRows:     packRows32AVX2,
		packedGradient: [...]func(g, p, u []float32, k int, ptr []int64) float64{
			packedGradient4x32AVX2, packedGradient8x32AVX2, packedGradient12x32AVX2, packedGradient16x32AVX2,
		},
		packedCore: [...]func(h, p, d []float32, k int, ptr []int64){
			packedCore4x32AVX2, packedCore8x32AVX2, packedCore12x32AVX2, packedCore16x32AVX2,
		},
		packedSquare: [...]func(squares, p, d []float32, k int, ptr []int64){
			packedSquare4x32AVX2, packedSquare8x32AVX2, packedSquare12x32AVX2, packedSquare16x32AVX2,
		},
		beginRows: beginRows32AVX2,
		stepRows:  stepRows32AVX2,
		lastRows:  lastRows32AVX2,
		tile:      [...]tile[float32]{tile1x32AVX2, tile2x32AVX2, tile3x32AVX2},
		mr:        4,
		lanes:     8,
		dot:       dot32AVX2,
		axpy:      axpy32AVX2,
		scale:     scale32AVX2,
		hadamard:  hadamard32AVX2,
		max:       max32AVX2,
		expTo:     exp32AVX2,
		widen:     widenAVX2,
		narrow:    narrowAVX2,
	}
}
