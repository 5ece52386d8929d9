package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/spf13/cobra"
)

// resultVerbs print what took long to find, and keepers are the flags that name a file for it.
var (
	resultVerbs = []string{"fit", "path", "cv", "predict", "recommend"}
	keepers     = []string{"model", "trace", "checkpoint", "output", "plot"}
)

// warnUnkept warns, before the work, of a standard output that keeps nothing where no file is named to keep a result: it would be
// lost without a word. It is no error, since whoever throws the result away on purpose may look the same.
func warnUnkept(cmd *cobra.Command, out io.Writer) {
	verb := cmd
	for verb.HasParent() && verb.Parent().HasParent() {
		verb = verb.Parent()
	}
	c, ok := printable.Behind(out).(*checkedWriter)
	if !ok || c.w != os.Stdout || !slices.Contains(resultVerbs, verb.Name()) || !maybeClosed() {
		return
	}
	for _, name := range keepers {
		if (name != "model" || verb.Name() != "predict" && verb.Name() != "recommend") && cmd.Flags().Changed(name) {
			return
		}
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "warning: standard output is closed or the null device, and no file is named to keep the result")
}

// maybeClosed says whether standard output may have been closed when the process began, as >&- does. The runtime of Go then opens
// the null device in its place, for reading and writing. A shell's >/dev/null opens it for writing alone, but Python's
// subprocess.DEVNULL and many daemons open it for both, and nothing tells these two apart; without /proc nobody can tell at all.
func maybeClosed() bool {
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
