package kernel

// Rotate turns neighbouring rows of z: with x = z_i and y = z_{i+1}, for i from the last to the first,
//
//	z_i ← c_i x - s_i y,   z_{i+1} ← s_i x + c_i y.
//
// z[(len(c)+1)×k], s[len(c)]. 6 flops an element and rotation; 8 bytes read and 8 written, as one of the two rows stays in registers;
// 0.75 of what caches deliver for k = 64, 0.3 for 512.
func Rotate(z []float64, k int, c, s []float64) {
	needStride(k)
	need("z", len(z), (len(c)+1)*k)
	need("s", len(s), len(c))
	active.rotate(z[:(len(c)+1)*k], k, c, s)
}
