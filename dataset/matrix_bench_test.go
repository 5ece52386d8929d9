package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// benchText is 20,000 rows of 50 numbers with that many digits; LIBSVM has every third column, on average.
func benchText(digits int, libsvm bool) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var b []byte
	for i := range 20000 {
		if libsvm {
			b = strconv.AppendInt(b, int64(i%10), 10)
		}
		for j := range 50 {
			x := 100 * r.NormFloat64()
			switch {
			case libsvm && r.IntN(3) > 0:
				continue
			case libsvm:
				b = strconv.AppendInt(append(b, ' '), int64(j+1), 10)
				b = append(b, ':')
			case j > 0:
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, x, 'g', digits, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// BenchmarkReadMatrix reads 10⁶ numbers from memory: MB/s of text.
func BenchmarkReadMatrix(b *testing.B) {
	for _, digits := range []int{2, 6, 17} {
		text := benchText(digits, false)
		b.Run(fmt.Sprintf("csv/digits=%d", digits), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if m, err := ReadMatrix("-", bytes.NewReader(text)); err != nil || len(m.Dense) != 1e6 {
					b.Fatal(err)
				}
			}
		})
	}
	raw := npy(1, header("<f8", false, "(20000, 50)"), make([]float64, 1e6), binary.LittleEndian)
	b.Run("npy", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			if _, err := ReadMatrix("-", bytes.NewReader(raw)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReadLIBSVM reads about 333,000 pairs from memory: MB/s of text.
func BenchmarkReadLIBSVM(b *testing.B) {
	for _, digits := range []int{2, 6, 17} {
		text := benchText(digits, true)
		b.Run(fmt.Sprintf("digits=%d", digits), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := readLIBSVM("-", bytes.NewReader(text), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPeakMemory reads files and reports the largest heap seen (live and garbage, sampled every 0.2 ms) over the
// size of the result.
func BenchmarkPeakMemory(b *testing.B) {
	dir := b.TempDir()
	market := []byte("%%MatrixMarket matrix coordinate real general\n2000 2000 1000000\n")
	for k := range 1000000 {
		p := k * 7919 % 4000000 // distinct: 7919 is prime to 4·10⁶
		market = fmt.Appendf(market, "%d %d 1.5\n", p/2000+1, p%2000+1)
	}
	for name, text := range map[string][]byte{"x.csv": benchText(6, false), "x.mtx": market,
		"x.npy": npy(1, header("<f8", true, "(20000, 50)"), make([]float64, 1e6), binary.LittleEndian)} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			worst := 0.0
			for b.Loop() {
				runtime.GC()
				var m *Matrix
				peak := peakHeap(func() {
					var err error
					if m, err = ReadMatrix(file, nil); err != nil {
						b.Fatal(err)
					}
				})
				worst = max(worst, peak/float64(8*len(m.Dense)+8*len(m.Ptr)+12*len(m.Index)))
			}
			b.ReportMetric(worst, "peak/result")
		})
	}
}

// peakHeap is how much the heap grows at most during f.
func peakHeap(f func()) float64 {
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	start := heap()
	var peak atomic.Uint64
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
				peak.Store(max(peak.Load(), heap()))
			}
		}
	}()
	f()
	close(stop)
	<-done
	return float64(max(peak.Load(), heap()) - start)
}
