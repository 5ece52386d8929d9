package atomicfile

import (
	"fmt"
	"os"
	"time"
)

// CreateExclusive creates or empties a file that is written as the work goes and read meanwhile, for one process at a time: of
// one that another process has created so, and not yet closed, the error says so, and nothing of it is lost. Devices and pipes
// are for all.
func CreateExclusive(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, Pathless(err)
	}
	st, err := f.Stat()
	if err == nil && st.Mode().IsRegular() {
		if !lockSoon(f) {
			err = errBusy
		} else {
			err = f.Truncate(0)
		}
	}
	if err != nil {
		f.Close()
		return nil, Pathless(err)
	}
	return f, nil
}

var errBusy = fmt.Errorf("another run is writing it; name another file")

// lockSoon is lock for a file that others may have for a moment, to ask whether it is busy or to give it its name.
func lockSoon(f *os.File) bool {
	for range 10 {
		if lock(f) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// busy is errBusy for a file that CreateExclusive would refuse.
func busy(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if !lockSoon(f) {
		return fmt.Errorf("%s: %w", name, errBusy)
	}
	return nil
}
