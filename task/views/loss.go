package views

import (
	"errors"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/task"
)

var errLoss = errors.New("a view has the loss squared, huber:μ or logistic")

// checkLoss refuses losses that views do not have.
func checkLoss(l task.Loss) error {
	if _, err := l.Filled(task.Squared); err != nil {
		return err
	}
	if l.Kind != task.Squared && l.Kind != task.Huber && l.Kind != task.Logistic {
		return errLoss
	}
	return nil
}

// ParseLoss reads squared, huber:μ or logistic. Errors say what there is.
func ParseLoss(word string) (task.Loss, error) {
	l, err := task.ParseLoss(task.Regression, word)
	if err != nil || checkLoss(l) != nil {
		return l, errLoss
	}
	return l, nil
}

// lossOf is the loss of entries y with weights.
func lossOf(l task.Loss, y, omega []float64) gcg.CurvedLoss {
	switch l.Kind {
	case task.Huber:
		return &loss.Huber{Y: y, Mu: l.Mu, Omega: omega}
	case task.Logistic:
		return &loss.Logistic{Y: y, Omega: omega}
	}
	return &loss.Squared{Y: y, Omega: omega}
}
