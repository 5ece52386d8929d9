package atomicfile

import (
	"os"
)

// Pathless is an error of the system without the names of files, of which the message has one that says more.
func Pathless(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
