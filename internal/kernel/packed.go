package kernel

import "fmt"

// Packed rows are the rows of v that each of several data rows meets, side by side, with the targets of its entries. Products
// with all rows of a pack need no sums across lanes, and the rows lie in the nearest cache. They serve sweeps of ridge
// regressions, which work in float32.
//
// Entries come in blocks of 16, so that an element of each fills 64 bytes; the last block is filled up with zeros. Element c <
// dims of entry l of a block is p[16c + l], its target p[16dims + l], and p goes on with the next block.
//
// Worth while up to 16 elements, as sums and the row's own vector fit into registers; beyond, sums across lanes cost less than
// packing.

// MostPacked is how many elements of a row there are kernels for; they come in fours.
const MostPacked = 16

// packedBlock is the number of entries of a block.
const packedBlock = 16

// PackedLen is the length of the packed rows of ptr.
func PackedLen(dims int, ptr []int64) (n int) {
	for i := range len(ptr) - 1 {
		n += packedLen(dims, int(ptr[i+1]-ptr[i]))
	}
	return n
}

// PackedRoom is what so many rows of so many entries together need at most.
func PackedRoom(dims, rows, entries int) int {
	return (entries + rows*(packedBlock-1)) * (dims + 1)
}

// packedLen is that of a row of so many entries.
func packedLen(dims, entries int) int {
	return (entries + packedBlock - 1) / packedBlock * packedBlock * (dims + 1)
}

// PackRows gathers and transposes the rows of v, v_j for the entries ptr[i] ≤ e < ptr[i+1] of each row i, j = cols[e], of which
// the first dims elements count, with the targets x[e].
//
// v[·×k], none[k] zeros, dims ≤ k and 16 a multiple of 4; p[PackedLen] overwritten. 4dims bytes of v read and of p written an
// entry; with AVX-512, on a Zen 4 core, 1.0 and 1.6 ns with 8 and 16 elements, a third of the limit.
func PackRows(p, v, none, x []float32, k, dims int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	needPacked(len(p), k, dims, ptr)
	need("none", len(none), k)
	need("x", len(x), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(active.packRows(p, v, none, x[:n], k, dims, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(v)/k)
		p, ptr = p[PackedLen(dims, ptr[:rows+1]):], ptr[rows:]
	}
}

// PackedGradientRows is [GradientRows] on packed rows: with r = x - P_i u_i, g_i += P_iᵀ r; it returns Σ r². 4dims flops and
// 4dims bytes of p an entry; as above 0.44 and 0.93 ns, 0.6 of the limit.
func PackedGradientRows(g, p, u []float32, k, dims int, ptr []int64) (square float64) {
	needPacked(len(p), k, dims, ptr)
	need("g", len(g), (len(ptr)-1)*k)
	need("u", len(u), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		square += active.packedGradient[dims/4-1](g, p, u, k, ptr[:rows+1])
		p, ptr, g, u = p[PackedLen(dims, ptr[:rows+1]):], ptr[rows:], g[rows*k:], u[rows*k:]
	}
	return square
}

// PackedCoreRows is [CoreRows] on packed rows: h_i += P_iᵀP_i d_i. 4dims flops and 4dims bytes of p an entry; as above
// 0.38 and 0.91 ns, 0.6 to 0.7 of the limit.
func PackedCoreRows(h, p, d []float32, k, dims int, ptr []int64) {
	needPacked(len(p), k, dims, ptr)
	need("h", len(h), (len(ptr)-1)*k)
	need("d", len(d), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		active.packedCore[dims/4-1](h, p, d, k, ptr[:rows+1])
		p, ptr, h, d = p[PackedLen(dims, ptr[:rows+1]):], ptr[rows:], h[rows*k:], d[rows*k:]
	}
}

// PackedSquareRows writes ‖P_i d_i‖². 2dims flops and 4dims bytes of p an entry; as above 0.32 and 0.62 ns, 0.8 to 0.9 of the
// limit.
func PackedSquareRows(squares, p, d []float32, k, dims int, ptr []int64) {
	needPacked(len(p), k, dims, ptr)
	need("squares", len(squares), len(ptr)-1)
	need("d", len(d), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		active.packedSquare[dims/4-1](squares, p, d, k, ptr[:rows+1])
		p, ptr, squares, d = p[PackedLen(dims, ptr[:rows+1]):], ptr[rows:], squares[rows:], d[rows*k:]
	}
}

func needPacked(have, k, dims int, ptr []int64) {
	needStride(k)
	if dims < 4 || dims > min(k, MostPacked) || dims%4 != 0 {
		panicDims(dims, k)
	}
	for i := range len(ptr) - 1 {
		if ptr[i+1] < ptr[i] {
			panicDescending(i+1, ptr)
		}
	}
	need("p", have, PackedLen(dims, ptr))
}

//go:noinline
func panicDescending(i int, ptr []int64) {
	panic(fmt.Sprintf("kernel: ptr[%d] = %d is below %d", i, ptr[i], ptr[i-1]))
}

//go:noinline
func panicDims(dims, k int) {
	panic(fmt.Sprintf("kernel: %d elements of a row of %d are packed, not a positive multiple of 4 of them, up to %d", dims, k,
		MostPacked))
}
