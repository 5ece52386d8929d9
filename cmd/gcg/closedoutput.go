package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// resultVerbs print what took long to find, and keepers are the flags that name a file for it.
var (
	resultVerbs = []string{"fit", "path", "cv", "predict", "recommend"}
	keepers     = []string{"model", "trace", "checkpoint", "output", "plot"}
)

// refuseClosed refuses, before the work, to print to a standard output that is closed where no file is named to keep a result: it
// would be lost without a word.
func refuseClosed(cmd *cobra.Command, out io.Writer) error {
	verb := cmd
	for verb.HasParent() && verb.Parent().HasParent() {
		verb = verb.Parent()
	}
	if c, ok := out.(*checkedWriter); !ok || c.w != os.Stdout || !slices.Contains(resultVerbs, verb.Name()) || !closedOutput() {
		return nil
	}
	for _, name := range keepers {
		if (name != "model" || verb.Name() != "predict" && verb.Name() != "recommend") && cmd.Flags().Changed(name) {
			return nil
		}
	}
	return errors.New("standard output: is closed, and no file is named to keep the result; redirect it to a file or to /dev/null")
}

// closedOutput says whether standard output was closed when the process began, as >&- does. The runtime of Go then opens the null
// device in its place, for reading and writing, where a shell opens it for writing; without /proc nobody can tell.
func closedOutput() bool {
	at, err := os.Stdout.Stat()
	null, other := os.Stat(os.DevNull)
	if err != nil || other != nil || !os.SameFile(at, null) {
		return false
	}
	info, err := os.ReadFile("/proc/self/fdinfo/1")
	if err != nil {
		return false
	}
	for line := range bytes.Lines(info) {
		if mode, ok := strings.CutPrefix(string(line), "flags:"); ok {
			return strings.HasSuffix(strings.TrimSpace(mode), "2") // O_RDWR
		}
	}
	return false
}
