//go:build !purego

package kernel

func avx512() *implementation {
	return &implementation{
		name:     "avx512",
		in64:     avx512In64(),
		in32:     avx512In32(),
		widen:    widenAVX512,
		narrow:   narrowAVX512,
		packRows: packRows32AVX512,
		packedGradient: [...]func(g, p, u []float32, k int, ptr []int64) float64{
			packedGradient4x32AVX512, packedGradient8x32AVX512, packedGradient12x32AVX512, packedGradient16x32AVX512,
		},
		packedCore: [...]func(h, p, d []float32, k int, ptr []int64){
			packedCore4x32AVX512, packedCore8x32AVX512, packedCore12x32AVX512, packedCore16x32AVX512,
		},
		packedSquare: [...]func(squares, p, d []float32, k int, ptr []int64){
			packedSquare4x32AVX512, packedSquare8x32AVX512, packedSquare12x32AVX512, packedSquare16x32AVX512,
		},
		beginRows: beginRows32AVX512,
		stepRows:  stepRows32AVX512,
		lastRows:  lastRows32AVX512,
		clamp:     clampAVX512,
		apart:     apartAVX512,
		logTo:     logAVX512,
		entropy:   entropyAVX512,
		rotate:    rotateAVX512,
		rankTwo:   rankTwoAVX512,
	}
}

func avx512In64() kernels[float64] {
	return kernels[float64]{
		dotRows:      dotRowsAVX512,
		residualRows: residualRowsAVX512,
		gradientRows: gradientRowsAVX512,
		hessRows:     hessRowsAVX512,
		coreRows:     coreRowsAVX512,
		columnRows:   columnRowsAVX512,
		spmmRows:     spmmRowsAVX512,
		gatherRows:   gatherRowsAVX512,
		scatterRows:  scatterRowsAVX512,
		tile:         [...]tile[float64]{tile1xAVX512, tile2xAVX512, tile3xAVX512},
		mr:           8,
		lanes:        8,
		dot:          dotAVX512,
		axpy:         axpyAVX512,
		axpyFour:     axpyFourAVX512,
		scale:        scaleAVX512,
		hadamard:     hadamardAVX512,
		max:          maxAVX512,
		expTo:        expAVX512,
	}
}

func avx512In32() kernels[float32] {
	return kernels[float32]{
		dotRows:      dotRows32AVX512,
		residualRows: residualRows32AVX512,
		gradientRows: gradientRows32AVX512,
		hessRows:     hessRows32AVX512,
		coreRows:     coreRows32AVX512,
		columnRows:   columnRows32AVX512,
		spmmRows:     spmmRows32AVX512,
		gatherRows:   gatherRows32AVX512,
		scatterRows:  scatterRows32AVX512,
		tile:         [...]tile[float32]{tile1x32AVX512, tile2x32AVX512, tile3x32AVX512},
		mr:           8,
		lanes:        16,
		dot:          dot32AVX512,
		axpy:         axpy32AVX512,
		axpyFour:     axpyFour32AVX512,
		scale:        scale32AVX512,
		hadamard:     hadamard32AVX512,
		max:          max32AVX512,
		expTo:        exp32AVX512,
	}
}
