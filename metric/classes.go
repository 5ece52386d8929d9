package metric

import (
	"math"

	"github.com/seed-b18ef778/gcg/cluster"
)

// Classes accumulates predicted classes, or predicted signs as two of them.
type Classes struct {
	Table [][]int // true class × predicted class
	n     int
	all   float64 // the weight of all, and of those that are right
	right float64
	known int     // predictions of a known class, which alone have a log loss
	sure  float64 // their weight
	logs  float64

	odds *calibrating // of two classes
}

// SpreadClasses accumulates predicted classes of ratings that ranks share, as Spread does errors.
type SpreadClasses struct{ sharded[Classes] }

// NewSpreadClasses counts predictions of k classes on rows that are shared; nil are those of one process.
func NewSpreadClasses(rows *cluster.Rows, k int) *SpreadClasses {
	return &SpreadClasses{newSharded(rows, func() *Classes { return NewClasses(k) })}
}

// Sum are the predictions of all ranks, which call it together.
func (s *SpreadClasses) Sum() *Classes {
	if s.rows == nil {
		return s.parts[0]
	}
	all := NewClasses(len(s.parts[0].Table))
	all.take(cluster.Numbers(s.rows, len(all.numbers()), func(shard int) []float64 { return s.parts[shard-s.first].numbers() }))
	return all
}

// numbers are all that was counted.
func (c *Classes) numbers() []float64 {
	list := []float64{float64(c.n), c.all, c.right, float64(c.known), c.sure, c.logs}
	for _, row := range c.Table {
		for _, n := range row {
			list = append(list, float64(n))
		}
	}
	if c.odds != nil {
		list = append(list, float64(c.odds.n), c.odds.brier, c.odds.logLoss)
		for k, b := range c.odds.bins {
			list = append(list, float64(b.N), b.Predicted, b.Observed, c.odds.weights[k])
		}
	}
	return list
}

// take sets all that was counted to the numbers.
func (c *Classes) take(list []float64) {
	c.n, c.all, c.right, c.known, c.sure, c.logs = int(list[0]), list[1], list[2], int(list[3]), list[4], list[5]
	list = list[6:]
	for _, row := range c.Table {
		for j := range row {
			row[j] = int(list[j])
		}
		list = list[len(row):]
	}
	if c.odds != nil {
		c.odds.n, c.odds.brier, c.odds.logLoss = int(list[0]), list[1], list[2]
		for k := range c.odds.bins {
			b, of := &c.odds.bins[k], list[3+4*k:]
			b.N, b.Predicted, b.Observed, c.odds.weights[k] = int(of[0]), of[1], of[2], of[3]
		}
	}
}

// calibrationBins is the usual number of bins.
const calibrationBins = 10

// NewClasses counts predictions of k classes.
func NewClasses(k int) *Classes {
	c := &Classes{Table: make([][]int, k)}
	for i := range c.Table {
		c.Table[i] = make([]int, k)
	}
	if k == 2 {
		c.odds = newCalibrating(calibrationBins)
	}
	return c
}

// Add counts the class of the largest of k scores, the first of several. A true class that is not known, -1, is never right.
func (c *Classes) Add(truth int, scores []float64) { c.AddWeighted(truth, scores, 1) }

// AddWeighted is Add with a weight in accuracy, log loss and calibration; the table counts it once.
func (c *Classes) AddWeighted(truth int, scores []float64, weight float64) {
	c.n++
	c.all += weight
	if truth < 0 {
		return
	}
	c.count(truth, Largest(scores), weight)
	c.logs += weight * (logSumExp(scores) - scores[truth])
	if c.odds != nil {
		c.odds.add(Softmax(scores)[1], truth == 1, weight)
	}
}

// AddSign counts the sign of z as a class, 0 for z < 0 and 1 for z ≥ 0, and reports whether truth has the same sign.
func (c *Classes) AddSign(truth, z float64) (right bool) { return c.AddSignWeighted(truth, z, 1) }

// AddSignWeighted is AddSign with a weight in accuracy and log loss; the table counts it once.
func (c *Classes) AddSignWeighted(truth, z, weight float64) (right bool) {
	c.n++
	c.all += weight
	right = c.count(SignClass(truth), SignClass(z), weight)
	c.logs += weight * softplus(-truth*z)
	if c.odds != nil {
		c.odds.add(1/(1+math.Exp(-z)), SignClass(truth) == 1, weight)
	}
	return right
}

func (c *Classes) count(truth, said int, weight float64) (right bool) {
	c.known++
	c.sure += weight
	c.Table[truth][said]++
	if truth == said {
		c.right += weight
	}
	return truth == said
}

// N is the number of predictions.
func (c *Classes) N() int { return c.n }

// Known is the number of predictions whose true class is known.
func (c *Classes) Known() int { return c.known }

// Accuracy is the fraction that is right; NaN without predictions.
func (c *Classes) Accuracy() float64 { return c.right / c.all }

// LogLoss is the mean of -log p(true class), with p the softmax of the scores, or 1/(1 + exp(-yz)) of signs y; NaN of none.
func (c *Classes) LogLoss() float64 { return c.logs / c.sure }

// Calibration sets the probabilities of the second of two classes, or of the sign 1, beside what came; nil of more classes.
func (c *Classes) Calibration() *Calibration {
	if c.odds == nil {
		return nil
	}
	return c.odds.done()
}

// SignClass is 0 of a negative number and 1 of others.
func SignClass(x float64) int {
	if x < 0 {
		return 0
	}
	return 1
}

// Largest is the index of the largest number, the first of equal ones.
func Largest(x []float64) int {
	at := 0
	for j, v := range x {
		if v > x[at] {
			at = j
		}
	}
	return at
}

// logSumExp is log Σ exp(x).
func logSumExp(x []float64) float64 {
	top := x[Largest(x)]
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// Softmax is exp(z)/Σ exp(z).
func Softmax(z []float64) []float64 {
	sum := logSumExp(z)
	p := make([]float64, len(z))
	for j, v := range z {
		p[j] = math.Exp(v - sum)
	}
	return p
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
