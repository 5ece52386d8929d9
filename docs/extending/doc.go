// Package extending holds a loss, a gauge, an operator, a penalty, a method and an improver as somebody would write them who
// has no part in gcg. It is a module of its own, and sees what gcg exports and no more. docs/extending.md explains them.
package extending
