package kernel

func rankTwoPlain[T real](p, a []T, lda int, v, w, x, vr, wr []T) {
	for i := range p {
		row := a[i*lda : i*lda+len(x)]
		add(row, -vr[i], w)
		add(row, -wr[i], v)
		p[i] = inner(row, x)
	}
}
