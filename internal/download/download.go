// Package download fetches the datasets that their owners publish: resumed where a part is there, checked by their checksums, and
// unpacked.
package download

import (
	"archive/zip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// A Dataset is an archive that its owner publishes.
type Dataset struct {
	Name    string
	URL     string
	Sum     string // of the archive: MD5 as the owner says it, or SHA-256 where the owner says none; empty where none is known
	First   string // the file in the archive that is read first
	About   string
	Licence string
	Read    string // the command that reads it, with FILE and FOLDER
	// Files are the SHA-256 sums of the files that are read, where that of the archive is not known.
	Files map[string]string
}

// completed reads ratings.
const completed = "gcg fit completion --train FILE"

// licence is that of all MovieLens data.
const licence = "GroupLens, University of Minnesota: for research; no endorsement may be claimed, no commercial use without " +
	"permission, no redistribution without the same terms, and publications cite Harper and Konstan 2015 " +
	"(https://grouplens.org/datasets/movielens)"

// All are the datasets by their names, the smallest first.
var All = []Dataset{
	{"movielens-100k", "https://files.grouplens.org/datasets/movielens/ml-100k.zip", "0e33842e24a9c977be4e0107933c0723",
		"ml-100k/u.data", "100,000 ratings, 943 × 1,682; 5 MB", licence, completed, nil},
	{"movielens-1m", "https://files.grouplens.org/datasets/movielens/ml-1m.zip", "c4d9eecfca2ab87c1945afe126590906",
		"ml-1m/ratings.dat", "1,000,209 ratings, 6,040 × 3,706; 6 MB", licence, completed, nil},
	{"jester", "https://eigentaste.berkeley.edu/dataset/archive/jester_dataset_2.zip",
		"5c2b9fb8346fc132ac1be6a9264fef9a6d153da68f3201839ac25c19f9a59a09", "jester_ratings.dat",
		"dataset 2: 1,761,439 ratings from -10 to 10, 59,132 × 140 jokes; 8 MB",
		"Ken Goldberg, AUTOLab, UC Berkeley: for research, where Goldberg, Roeder, Gupta and Perkins 2001 are cited " +
			"(https://eigentaste.berkeley.edu/dataset)", completed, nil},
	{"mfeat", "https://archive.ics.uci.edu/static/public/72/multiple+features.zip", "", "mfeat-fou",
		"six views of 2,000 digits, 200 of each in order; 2 MB",
		"Robert Duin, Delft University of Technology, by the UCI repository: CC BY 4.0 " +
			"(https://archive.ics.uci.edu/dataset/72/multiple+features)",
		"gcg reproduce zhang12-fig6 --data FOLDER", map[string]string{
			"mfeat-fou": "d2bed48a4d302efe77bd80d52e16a211e99efe6fee9baf1c28dcc199c43c50ad",
			"mfeat-fac": "83be9bc9fd50c6dd0b0532f6b6101956f1cf51c71b33f22d3f0cd2b5befb31b5",
			"mfeat-kar": "db832668544497d0c06a2c1d1bfa0e17ba672812b7cfa6ed19f0941e19e1d7fa",
			"mfeat-pix": "70a1cd033add46614464a8740ddc23c3693765985bde52ccb6b702bff23b64f1",
			"mfeat-zer": "d4a0e302f2f61e823b906f78818c7c0ef078c0bbc23022affd6607d60ecfe4f3",
			"mfeat-mor": "8767b326d874f096de06d525a2df4e610f4e9dfe91e29c250d8a3054907e3b61",
		}},
	{"movielens-10m", "https://files.grouplens.org/datasets/movielens/ml-10m.zip", "ce571fd55effeba0271552578f2648bd",
		"ml-10M100K/ratings.dat", "10,000,054 ratings, 69,878 × 10,677; 66 MB", licence, completed, nil},
	{"movielens-25m", "https://files.grouplens.org/datasets/movielens/ml-25m.zip", "6b51fb2759a8657d3bfcbfc42b592ada",
		"ml-25m/ratings.csv", "25,000,095 ratings, 162,541 × 59,047; 262 MB", licence, completed, nil},
}

// Named is the dataset of a name.
func Named(name string) (Dataset, bool) {
	for _, d := range All {
		if d.Name == name {
			return d, true
		}
	}
	return Dataset{}, false
}

// archive is the name of the file that is fetched.
func (d Dataset) archive() string { return path.Base(d.URL) }

// Get puts the dataset into a folder, and returns the command that reads it. An archive that is there is not fetched again. What
// was fetched before the connection broke stays as a .part, from which the next call goes on.
func (d Dataset) Get(ctx context.Context, folder string) (read string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(folder, d.archive())
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if err := d.fetch(ctx, file+".part"); err != nil {
			return "", err
		}
		if err := d.check(file + ".part"); err != nil {
			os.Remove(file + ".part")
			return "", fmt.Errorf("%w; it was removed: say it again to fetch it anew", err)
		}
		if err := os.Rename(file+".part", file); err != nil {
			return "", err
		}
	} else if err := d.check(file); err != nil {
		return "", fmt.Errorf("%w; remove it to fetch it anew", err)
	}
	first := filepath.Join(folder, filepath.FromSlash(d.First))
	return strings.NewReplacer("FILE", first, "FOLDER", folder).Replace(d.Read), unpack(file, folder)
}

// fetch appends what is missing of the archive to a file.
func (d Dataset) fetch(ctx context.Context, name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.URL, nil)
	if err != nil {
		return err
	}
	if at > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", at))
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return d.away(name, err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusRequestedRangeNotSatisfiable: // all of it is there
		return nil
	case http.StatusOK: // from the start, whatever was asked for
		if err := f.Truncate(0); err != nil {
			return err
		}
	case http.StatusPartialContent:
	default:
		return d.away(name, errors.New(answer.Status))
	}
	if _, err := io.Copy(f, answer.Body); err != nil {
		return fmt.Errorf("%s: broke off (%w); say it again to go on from there", d.URL, err)
	}
	return f.Close()
}

// away is the error where the archive cannot be had: it says which file to put where.
func (d Dataset) away(part string, err error) error {
	if info, gone := os.Stat(part); gone == nil && info.Size() == 0 {
		os.Remove(part)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return fmt.Errorf("%s cannot be had here (%w); fetch it elsewhere, put it to %s, and say this again: it is checked and unpacked",
		d.URL, err, strings.TrimSuffix(part, ".part"))
}

// check compares the checksum of the archive, or those of files in it.
func (d Dataset) check(name string) error {
	if d.Sum != "" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return compare(name, f, d.Sum, d.Name)
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer z.Close()
	for file, sum := range d.Files {
		f, err := z.Open(file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer f.Close()
		if err := compare(name+", "+file, f, sum, d.Name); err != nil {
			return err
		}
	}
	return nil
}

// compare refuses what has another checksum than the owner's.
func compare(name string, f io.Reader, sum, owner string) error {
	kind, h := "MD5", md5.New()
	if len(sum) == hex.EncodedLen(sha256.Size) {
		kind, h = "SHA-256", sha256.New()
	}
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		return fmt.Errorf("%s: has the %s checksum %s, and %s has %s", name, kind, got, owner, sum)
	}
	return nil
}

// unpack writes the files of an archive into a folder, those that are there with their size left out.
func unpack(archive, folder string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	defer z.Close()
	for _, entry := range z.File {
		if !filepath.IsLocal(filepath.FromSlash(entry.Name)) {
			return fmt.Errorf("%s: has a file outside of its folder, %q", archive, entry.Name)
		}
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		if err := unpackFile(entry, filepath.Join(folder, filepath.FromSlash(entry.Name))); err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
	}
	return nil
}

func unpackFile(entry *zip.File, name string) error {
	if info, err := os.Stat(name); err == nil && uint64(info.Size()) == entry.UncompressedSize64 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}
