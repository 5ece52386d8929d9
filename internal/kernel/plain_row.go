package kernel

// The row kernels in plain Go. They call one of the loops of plain_loop.go for each entry.

func rowOf[T Real](v []T, k int, j int32) ([]T, bool) {
	lo := int(j) * k
	if j < 0 || lo+k > len(v) {
		return nil, false
	}
	return v[lo : lo+k : lo+k], true
}

func dotRowPlain[T Real](z, u, v []T, k int, cols []int32) int {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return e
		}
		z[e] = inner(u, vj)
	}
	return len(cols)
}

func residualRowPlain[T Real](r, u, v []T, k int, cols []int32, x []T) (loss float64, done int) {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return loss, e
		}
		d := x[e] - inner(u, vj)
		r[e] = d
		loss += float64(d) * float64(d)
	}
	return loss, len(cols)
}

func gradientRowPlain[T Real](r, u, gu, v []T, k int, cols []int32, x []T) (loss float64, done int) {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return loss, e
		}
		d := x[e] - inner(u, vj)
		r[e] = d
		loss += float64(d) * float64(d)
		add(gu, d, vj)
	}
	return loss, len(cols)
}

func hessRowPlain[T Real](gu, gv, u, du, v, dv []T, k int, cols []int32, r []T) int {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return e
		}
		dvj, _ := rowOf(dv, k, j)
		gvj, _ := rowOf(gv, k, j)
		d := inner(du, vj) + inner(u, dvj)
		addBoth(gu, gvj, d, vj, u)
		addBoth(gu, gvj, -r[e], dvj, du)
	}
	return len(cols)
}

func coreRowPlain[T Real](gu, pu, q []T, k int, cols []int32) int {
	for e, j := range cols {
		qj, ok := rowOf(q, k, j)
		if !ok {
			return e
		}
		add(gu, inner(pu, qj), qj)
	}
	return len(cols)
}

func columnRowPlain[T Real](gv, u, v []T, k int, cols []int32) int {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return e
		}
		gvj, _ := rowOf(gv, k, j)
		add(gvj, inner(u, vj), u)
	}
	return len(cols)
}

func spmmRowPlain[T Real](gu, gv, u, v []T, k int, cols []int32, r []T) int {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return e
		}
		gvj, _ := rowOf(gv, k, j)
		addBoth(gu, gvj, r[e], vj, u)
	}
	return len(cols)
}

func gatherRowPlain[T Real](gu, v []T, k int, cols []int32, r []T) int {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return e
		}
		add(gu, r[e], vj)
	}
	return len(cols)
}

func scatterRowPlain[T Real](gv, u []T, k int, cols []int32, r []T) int {
	for e, j := range cols {
		gvj, ok := rowOf(gv, k, j)
		if !ok {
			return e
		}
		add(gvj, r[e], u)
	}
	return len(cols)
}
