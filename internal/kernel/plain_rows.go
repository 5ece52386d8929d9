package kernel

// Several rows in plain Go: the row kernels one after another. row gets the number of the row, where its vectors
// lie, and its entries.

func overRows(k int, ptr []int64, row func(at, lo, hi int) (done int)) int {
	for i := range len(ptr) - 1 {
		lo, hi := int(ptr[i]), int(ptr[i+1])
		if done := row(i*k, lo, hi); done < hi-lo {
			return lo + done
		}
	}
	return int(ptr[len(ptr)-1])
}

func dotRowsPlain[T Real](z, u, v []T, k int, ptr []int64, cols []int32) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return dotRowPlain(z[lo:hi], u[at:at+k], v, k, cols[lo:hi])
	})
}

func residualRowsPlain[T Real](r, u, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int) {
	done = overRows(k, ptr, func(at, lo, hi int) int {
		part, done := residualRowPlain(r[lo:hi], u[at:at+k], v, k, cols[lo:hi], x[lo:hi])
		loss += part
		return done
	})
	return loss, done
}

func gradientRowsPlain[T Real](r, u, gu, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int) {
	done = overRows(k, ptr, func(at, lo, hi int) int {
		part, done := gradientRowPlain(r[lo:hi], u[at:at+k], gu[at:at+k], v, k, cols[lo:hi], x[lo:hi])
		loss += part
		return done
	})
	return loss, done
}

func hessRowsPlain[T Real](gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return hessRowPlain(gu[at:at+k], gv, u[at:at+k], du[at:at+k], v, dv, k, cols[lo:hi], r[lo:hi])
	})
}

func spmmRowsPlain[T Real](gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return spmmRowPlain(gu[at:at+k], gv, u[at:at+k], v, k, cols[lo:hi], r[lo:hi])
	})
}

func coreRowsPlain[T Real](gu, pu, q []T, k int, ptr []int64, cols []int32) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return coreRowPlain(gu[at:at+k], pu[at:at+k], q, k, cols[lo:hi])
	})
}

func columnRowsPlain[T Real](gv, u, v []T, k int, ptr []int64, cols []int32) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return columnRowPlain(gv, u[at:at+k], v, k, cols[lo:hi])
	})
}

func gatherRowsPlain[T Real](gu, v []T, k int, ptr []int64, cols []int32, r []T) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return gatherRowPlain(gu[at:at+k], v, k, cols[lo:hi], r[lo:hi])
	})
}

func scatterRowsPlain[T Real](gv, u []T, k int, ptr []int64, cols []int32, r []T) int {
	return overRows(k, ptr, func(at, lo, hi int) int {
		return scatterRowPlain(gv, u[at:at+k], k, cols[lo:hi], r[lo:hi])
	})
}
