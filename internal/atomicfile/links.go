package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// links is how many symbolic links a name may lead through, as many as Linux follows.
const links = 40

// Behind is the file that a name leads to through symbolic links, which need not exist yet: filepath.EvalSymlinks takes only what
// does. A name whose folder does not exist is returned as it is; links that go round in circles are an error.
func Behind(name string) (string, error) {
	at := name
	for range links {
		dir, base := filepath.Split(at)
		if dir == "" {
			dir = "."
		}
		dir, err := filepath.EvalSymlinks(dir) // before any .. of a link is taken
		if err != nil {
			return at, nil
		}
		at = filepath.Join(dir, base)
		to, err := os.Readlink(at)
		if err != nil {
			return at, nil
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to
		}
		at = to
	}
	return "", fmt.Errorf("%s: is a symbolic link that leads to no file, only to more links; remove it", name)
}
