package task

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/loss"
)

// A Loss is that of a task with features, or of a completion. The zero value is the usual one: logistic of classes, squared of
// numbers.
type Loss struct {
	Kind LossKind
	Mu   float64 // the width of those that have one; 0 is 1 for Huber and SmoothedHinge, and 0.1 for Quantile
	Tau  float64 // of Quantile, in 0 … 1, both excluded
}

// A LossKind is a loss L(z, y) of a prediction z. Of classes all but Logistic are those of each class against the rest, with
// signs y.
type LossKind int

const (
	UsualLoss     LossKind = iota // that of the kind of task
	Squared                       // ½(z - y)²
	Huber                         // ½(z - y)² within Mu of y, linear beyond
	Absolute                      // |z - y|, smoothed by Mu
	Logistic                      // log(1 + exp(-yz)); of classes the multinomial one, log Σ_c exp(z_c) - z_y
	SmoothedHinge                 // max(0, 1 - yz), quadratic for Mu before 1
	SquaredHinge                  // ½ max(0, 1 - yz)²
	Hinge                         // max(0, 1 - yz), smoothed by Mu
	Quantile                      // Tau max(0, y - z) + (1-Tau) max(0, z - y), smoothed by Mu
	Poisson                       // half the deviance of a count y ≥ 0 from its mean exp(z): exp(z) - y - y(z - log y)
	Gamma                         // that of an amount y > 0: y exp(-z) - 1 + z - log y
	Cox                           // the partial likelihood of times until an event, see loss.Cox; z is a log risk
)

// Check is an error where k is no loss.
func (k LossKind) Check() error {
	return enum.Check("task: Loss.Kind", k, "UsualLoss", "Squared", "Huber", "Absolute", "Logistic", "SmoothedHinge", "SquaredHinge",
		"Hinge", "Quantile", "Poisson", "Gamma", "Cox")
}

// lossKinds are their words, and what they are told: signs or numbers.
var lossKinds = []struct {
	word                        string
	signs, probabilities, width bool
	logs                        bool // predictions are logarithms of means
	usual                       float64
}{
	Squared:       {word: "squared"},
	Huber:         {word: "huber", width: true, usual: 1},
	Absolute:      {word: "absolute", width: true},
	Logistic:      {word: "logistic", signs: true, probabilities: true},
	SmoothedHinge: {word: "smoothed-hinge", signs: true, width: true, usual: 1},
	SquaredHinge:  {word: "squared-hinge", signs: true},
	Hinge:         {word: "hinge", signs: true, width: true},
	Quantile:      {word: "quantile", width: true, usual: 0.1},
	Poisson:       {word: "poisson", logs: true},
	Gamma:         {word: "gamma", logs: true},
	Cox:           {word: "cox"},
}

// LossWords lists what ParseLoss takes for a kind of task.
func LossWords(k Kind) []string {
	if k == Classification {
		return []string{"logistic (multinomial)", "smoothed-hinge[:μ]", "squared-hinge", "hinge:μ", "squared"}
	}
	words := append(RatingLossWords(), "poisson", "gamma")
	if k == Regression {
		words = append(words, "cox")
	}
	return words
}

// RatingLossWords are those that ratings have, too.
func RatingLossWords() []string {
	return []string{"squared", "huber[:μ]", "absolute:μ", "quantile:τ[,μ]", "logistic", "smoothed-hinge[:μ]", "squared-hinge",
		"hinge:μ"}
}

// ParseLoss reads one of LossWords, as a model has it. Errors say what there is.
func ParseLoss(k Kind, word string) (Loss, error) {
	name, width, has := strings.Cut(word, ":")
	l := Loss{}
	for kind := range lossKinds {
		if name != "" && lossKinds[kind].word == name {
			l.Kind = LossKind(kind)
		}
	}
	about := &lossKinds[l.Kind]
	if l.Kind == UsualLoss || l.isOf(k) != nil || has && !about.width {
		return Loss{}, fmt.Errorf("%s has %s", k, strings.Join(LossWords(k), ", "))
	}
	l.Mu = about.usual
	if l.Kind == Quantile {
		var tau string
		var err error
		tau, width, has = strings.Cut(width, ",")
		if l.Tau, err = strconv.ParseFloat(tau, 64); err != nil || !(l.Tau > 0 && l.Tau < 1) {
			return Loss{}, fmt.Errorf("the quantile τ is between 0 and 1, as in quantile:0.9")
		}
	}
	if has {
		var err error
		if l.Mu, err = strconv.ParseFloat(width, 64); err != nil || !(l.Mu > 0) || math.IsInf(l.Mu, 0) {
			return Loss{}, fmt.Errorf("the width μ is a positive number, as in %s0.1", l.beforeWidth())
		}
	} else if about.width && l.Mu == 0 {
		return Loss{}, fmt.Errorf("it is smoothed with a width μ, so say %s0.1, or another one", l.beforeWidth())
	}
	return l, nil
}

// String is the word of the loss, with its width where that is not the usual one, or it is a quantile.
func (l Loss) String() string {
	about := &lossKinds[l.Kind]
	if about.width && l.Mu != about.usual || l.Kind == Quantile {
		return l.beforeWidth() + strconv.FormatFloat(l.Mu, 'g', -1, 64)
	}
	return about.word
}

// beforeWidth is the word of the loss up to its width.
func (l Loss) beforeWidth() string {
	word := lossKinds[l.Kind].word + ":"
	if l.Kind == Quantile {
		word += strconv.FormatFloat(l.Tau, 'g', -1, 64) + ","
	}
	return word
}

// Filled is the loss with the usual one in place of none, and the usual width in place of 0. An error is of a loss that does not
// exist, of a width or a quantile that it cannot have, and of one that it does not read.
func (l Loss) Filled(usual LossKind) (Loss, error) {
	if err := l.Kind.Check(); err != nil {
		return l, err
	}
	l.Kind = cmp.Or(l.Kind, usual)
	about := &lossKinds[l.Kind]
	l.Mu = cmp.Or(l.Mu, about.usual)
	switch {
	case about.width && (!(l.Mu > 0) || math.IsInf(l.Mu, 1)):
		return l, fmt.Errorf("task: the %s loss needs a width Mu, a finite number above 0, not %v", about.word, l.Mu)
	case !about.width && l.Mu != 0:
		return l, fmt.Errorf("task: the %s loss has no width, and Mu is %v; leave it 0", about.word, l.Mu)
	case l.Kind == Quantile && !(l.Tau > 0 && l.Tau < 1):
		return l, fmt.Errorf("task: the quantile loss needs a quantile Tau between 0 and 1, not %v", l.Tau)
	case l.Kind != Quantile && l.Tau != 0:
		return l, fmt.Errorf("task: the %s loss has no quantile, and Tau is %v; leave it 0", about.word, l.Tau)
	}
	return l, nil
}

// filled is Filled with the usual loss of a kind of task, and an error where that has no such loss.
func (l Loss) filled(k Kind) (Loss, error) {
	usual := Squared
	if k == Classification {
		usual = Logistic
	}
	l, err := l.Filled(usual)
	if err != nil {
		return l, err
	}
	return l, l.isOf(k)
}

// isOf is an error where a kind of task has no such loss.
func (l Loss) isOf(k Kind) error {
	about := &lossKinds[l.Kind]
	switch {
	case k == Classification && !about.signs && l.Kind != Squared:
		return fmt.Errorf("task: the %s loss is of numbers; classes have %s", about.word, strings.Join(LossWords(k), ", "))
	case k != Regression && l.Kind == Cox:
		return fmt.Errorf("task: the cox loss is of times in regression; several tasks have %s", strings.Join(LossWords(k), ", "))
	}
	return nil
}

// Signs says that the loss is of labels -1 and 1, not of numbers.
func (l Loss) Signs() bool { return lossKinds[l.Kind].signs }

// Probabilities says that predictions are logits.
func (l Loss) Probabilities() bool { return lossKinds[l.Kind].probabilities }

// OfRatings is an error where there is no such loss, or where it is of rows of features alone.
func (l Loss) OfRatings() error {
	if err := l.Kind.Check(); err != nil || !l.logs() && l.Kind != Cox {
		return err
	}
	return fmt.Errorf("the %s loss is of rows of features; ratings have %s", l, strings.Join(
		RatingLossWords(), ", "))
}

// logs says that predictions are logarithms of means.
func (l Loss) logs() bool { return lossKinds[l.Kind].logs }

// Mean is what a prediction z says of a number y: exp(z) where z is the logarithm of its mean, else z.
func (l Loss) Mean(z float64) float64 {
	if l.logs() {
		return math.Exp(z)
	}
	return z
}

// ofMean is the z of a mean, the inverse of Mean; where that has none it is that of a small mean.
func (l Loss) ofMean(mean float64) float64 {
	if l.logs() {
		return math.Log(math.Max(mean, leastMean))
	}
	return mean
}

// leastMean stands for the mean of counts that are all 0.
const leastMean = 1e-9

// fits is an error where a number is no target of the loss.
func (l Loss) fits(y float64) error {
	switch {
	case l.Kind == Poisson && y < 0:
		return fmt.Errorf("the target %v is below 0, and the poisson loss is of counts", y)
	case l.Kind == Gamma && y <= 0:
		return fmt.Errorf("the target %v is not above 0, and the gamma loss is of positive amounts", y)
	}
	return nil
}

// robust says that the loss is of absolute errors, which scores are then, too.
func (l Loss) robust() bool { return l.Kind == Huber || l.Kind == Absolute }

// Of is the loss of targets or signs y with weights, rows of which blocks do not cut; of Cox see loss.NewCox.
func (l Loss) Of(y, omega []float64, mean bool, group int) gcg.Loss {
	switch l.Kind {
	case Huber:
		return &loss.Huber{Y: y, Mu: l.Mu, Omega: omega, Mean: mean, Group: group}
	case Absolute:
		return &loss.Smoothed{Loss: &loss.Absolute{Y: y}, Mu: l.Mu, Omega: omega, Mean: mean, Group: group}
	case Quantile:
		return &loss.Smoothed{Loss: &loss.Quantile{Y: y, Tau: l.Tau}, Mu: l.Mu, Omega: omega, Mean: mean, Group: group}
	case Logistic:
		return &loss.Logistic{Y: y, Omega: omega, Mean: mean, Group: group}
	case SmoothedHinge:
		return &loss.SmoothedHinge{Y: y, Mu: l.Mu, Omega: omega, Mean: mean, Group: group}
	case SquaredHinge:
		return &loss.SquaredHinge{Y: y, Omega: omega, Mean: mean, Group: group}
	case Hinge:
		return &loss.Smoothed{Loss: &loss.Hinge{Y: y}, Mu: l.Mu, Omega: omega, Mean: mean, Group: group}
	case Poisson:
		return &loss.Poisson{Y: y, Omega: omega, Mean: mean, Group: group}
	case Gamma:
		return &loss.Gamma{Y: y, Omega: omega, Mean: mean, Group: group}
	}
	return &loss.Squared{Y: y, Omega: omega, Mean: mean, Group: group}
}

// ofClasses is the multinomial logistic loss, or one of each class against the rest.
func (l Loss) ofClasses(class []int32, classes int, omega []float64, mean bool) gcg.Loss {
	if l.Kind == Logistic {
		return &loss.Softmax{Labels: class, Classes: classes, Omega: omega, Mean: mean}
	}
	y := slices.Repeat([]float64{-1}, len(class)*classes)
	for i, c := range class {
		y[i*classes+int(c)] = 1
	}
	var each []float64
	for _, w := range omega {
		for range classes {
			each = append(each, w)
		}
	}
	return l.Of(y, each, mean, classes)
}
