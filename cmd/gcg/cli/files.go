package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/pflag"
)

// CheckColumns wants three names or numbers, or four with a time; two may do where ratings are not needed.
func CheckColumns(columns string, ratings bool) error {
	if err := dataset.CheckColumns(columns, ratings); err != nil {
		return Usagef("--columns %q: %v", columns, err)
	}
	return nil
}

// checkFiles refuses, before the work, standard input for two files, and files that cannot be written: those that are read too,
// or named twice, or like arrays, which no verb writes, among them. No name is none.
func checkFiles(reads []string, writes ...string) error {
	for _, name := range writes {
		if ending := strings.ToLower(filepath.Ext(name)); ending == ".npy" || ending == ".npz" {
			return Usagef("%s: is no name for what is written, which is no array of numpy's; give it another ending", name)
		}
	}
	return CheckArrays(reads, writes...)
}

// CheckArrays is checkFiles for what may be written as .npy.
func CheckArrays(reads []string, writes ...string) error {
	if first := slices.Index(reads, "-"); first >= 0 && slices.Contains(reads[first+1:], "-") {
		return Usagef("- is standard input, which can be read once: name a file for one of the two")
	}
	for i, name := range writes {
		if name == "" {
			continue
		}
		if name == "-" {
			return Usagef("%q: is no file to write; standard output is /dev/stdout", name)
		}
		for _, other := range reads {
			if sameFile(name, other) {
				return Usagef("%s: is read, and would be lost; name another file to write", name)
			}
		}
		for _, other := range writes[:i] {
			if sameFile(name, other) {
				return Usagef("%s: cannot hold two outputs; name another file for one of them", name)
			}
		}
		if err := atomicfile.Writable(name); err != nil {
			return err
		}
	}
	return nil
}

// CheckResult refuses files that lead to standard output, where the result is printed. The null device keeps neither.
func CheckResult(writes ...string) error {
	result, err := os.Stdout.Stat()
	if err != nil {
		return nil
	}
	null, err := os.Stat(os.DevNull)
	if err == nil && os.SameFile(result, null) {
		return nil
	}
	for _, name := range writes {
		if file, err := os.Stat(name); name != "" && err == nil && os.SameFile(file, result) {
			return Usagef("%s: is standard output, where the result is printed; name another file", name)
		}
	}
	return nil
}

// otherFormats are endings of files that hold no text, or none of lines of user, item and rating.
const otherFormats = ".gz .bz2 .xz .zip .mtx .parquet .json .xlsx"

// CheckRatings is checkFiles for files of ratings, which their names may promise another format of.
func CheckRatings(reads []string, writes ...string) error {
	for _, name := range writes {
		_, table := dataset.RecordsFormatOf(name)
		if ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".zst"))); !table && ending != "" &&
			Contains(otherFormats, ending) {
			return Usagef("%s: ratings are written as .parquet, as .csv, or with tabs as .tsv or .txt, and compressed with .zst after "+
				"that; not as %s", name, ending)
		}
	}
	return checkFiles(reads, writes...)
}

// CheckLIBSVM is checkFiles for files in LIBSVM's format.
func CheckLIBSVM(writes ...string) error {
	for _, name := range writes {
		if ending := strings.ToLower(filepath.Ext(name)); ending != "" && Contains(otherFormats+" .zst .csv .tsv", ending) {
			return Usagef("%s: rows of classes are written in LIBSVM's format, as .libsvm or .txt; not as %s", name, ending)
		}
	}
	return checkFiles(nil, writes...)
}

// sameFile says whether two names lead to one file, which may not exist yet; devices keep nothing that could be lost.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	if err == nil && other == nil {
		return os.SameFile(x, y) && x.Mode().IsRegular()
	}
	a, err = whole(a)
	b, other = whole(b)
	return err == nil && other == nil && a == b
}

// whole is the name of the file that a name leads to, from the root.
func whole(name string) (string, error) {
	name, err := atomicfile.Behind(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// dataFlags name files of data.
var dataFlags = []string{"view", "train", "graph", "data", "features", "sample-weights",
	"labels", "targets", "test", "test-features", "test-labels",
	"test-targets",
	"valid", "valid-features", "valid-labels", "valid-targets", "user-features", "item-features", "also-seen"}

// filesOf are the values of some flags.
func filesOf(flags *pflag.FlagSet, names []string) (files []string) {
	for _, name := range names {
		f := flags.Lookup(name)
		if f == nil {
			continue
		}
		if s, ok := f.Value.(pflag.SliceValue); ok {
			files = append(files, s.GetSlice()...)
		} else if f.Value.String() != "" {
			files = append(files, f.Value.String())
		}
	}
	return files
}

// CheckFiles refuses files to write that are also read, are the same, or cannot be written.
func CheckFiles(reads []string, writes ...string) error { return checkFiles(reads, writes...) }

// CheckOutput is checkFiles for toOutput.
func CheckOutput(reads []string, name string) error {
	if name == "-" {
		name = ""
	}
	return checkFiles(reads, name)
}

// ToOutput writes to a file that appears only when complete, or to standard output.
func ToOutput(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(printable.Data(out))
	}
	return atomicfile.Write(name, write)
}

// WriteRecords writes records in the format of the file's name, .parquet or else CSV; or as CSV to standard output.
func WriteRecords(name string, out io.Writer, r dataset.Records) error {
	write := r.WriteCSV
	if f, ok := dataset.RecordsFormatOf(name); ok {
		write = func(to io.Writer) error { return f.Write(to, r) }
	}
	return ToOutput(name, out, write)
}

// LoadModel reads a model; rows and columns that a library saved without ids are called 1, 2, 3, …
func LoadModel(name string) (*model.Model, error) {
	m, err := model.Load(name)
	if err == nil {
		m.Name()
	}
	return m, err
}
