package dataset

import "bytes"

// foreign names what a file is by its first bytes, if it is known and not read as text.
func foreign(head []byte) string {
	for _, f := range []struct{ magic, kind string }{
		{"\xfd7zXZ\x00", "packed by xz, which gcg does not unpack"}, {"BZh91AY&SY", "packed by bzip2, which gcg does not unpack"},
		{"PK\x03\x04", "a zip archive, or a spreadsheet, which gcg does not unpack"}, {"7z\xbc\xaf", "packed by 7-Zip, which gcg does not unpack"},
		{"PAR1\x15", "a Parquet file, which gcg does not read"}, {"\xff\xfe", "UTF-16; save it as UTF-8"}, {"\xfe\xff", "UTF-16; save it as UTF-8"},
		{"\x89HDF", "an HDF5 file, which gcg does not read"}, {"SQLite format", "an SQLite database, which gcg does not read"},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.kind
		}
	}
	return ""
}
