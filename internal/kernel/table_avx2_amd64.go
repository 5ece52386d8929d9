//go:build !purego

package kernel

func avx2() *implementation {
	return &implementation{
		name:     "avx2",
		in64:     avx2In64(),
		in32:     avx2In32(),
		widen:    widenAVX2,
		narrow:   narrowAVX2,
		packRows: packRows32AVX2,
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
		clamp:     clampAVX2,
		apart:     apartAVX2,
		logTo:     logAVX2,
		entropy:   entropyAVX2,
		rotate:    rotateAVX2,
		rankTwo:   rankTwoAVX2,
	}
}

func avx2In64() kernels[float64] {
	return kernels[float64]{
		dotRows:      dotRowsAVX2,
		residualRows: residualRowsAVX2,
		gradientRows: gradientRowsAVX2,
		hessRows:     hessRowsAVX2,
		coreRows:     coreRowsAVX2,
		columnRows:   columnRowsAVX2,
		spmmRows:     spmmRowsAVX2,
		gatherRows:   gatherRowsAVX2,
		scatterRows:  scatterRowsAVX2,
		tile:         [...]tile[float64]{tile1xAVX2, tile2xAVX2, tile3xAVX2},
		mr:           4,
		lanes:        4,
		dot:          dotAVX2,
		axpy:         axpyAVX2,
		axpyFour:     axpyFourAVX2,
		scale:        scaleAVX2,
		hadamard:     hadamardAVX2,
		max:          maxAVX2,
		expTo:        expAVX2,
	}
}

func avx2In32() kernels[float32] {
	return kernels[float32]{
		dotRows:      dotRows32AVX2,
		residualRows: residualRows32AVX2,
		gradientRows: gradientRows32AVX2,
		hessRows:     hessRows32AVX2,
		coreRows:     coreRows32AVX2,
		columnRows:   columnRows32AVX2,
		spmmRows:     spmmRows32AVX2,
		gatherRows:   gatherRows32AVX2,
		scatterRows:  scatterRows32AVX2,
		tile:         [...]tile[float32]{tile1x32AVX2, tile2x32AVX2, tile3x32AVX2},
		mr:           4,
		lanes:        8,
		dot:          dot32AVX2,
		axpy:         axpy32AVX2,
		axpyFour:     axpyFour32AVX2,
		scale:        scale32AVX2,
		hadamard:     hadamard32AVX2,
		max:          max32AVX2,
		expTo:        exp32AVX2,
	}
}
