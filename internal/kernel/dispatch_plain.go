//go:build !amd64 || purego

package kernel

func implementations() []*implementation { return []*implementation{plain()} }
