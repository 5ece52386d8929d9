//go:build !amd64 || purego

package kernel

func implementations64() []*kernels[float64] { return []*kernels[float64]{plain[float64]()} }
func implementations32() []*kernels[float32] { return []*kernels[float32]{plain[float32]()} }
