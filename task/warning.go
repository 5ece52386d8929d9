package task

// A Warning is a doubt about data, or about what was fitted to it: a value that knows what it is about, and says so.
type Warning interface{ String() string }

// A Remark is a Warning in words alone, such as one of the solver's.
type Remark string

func (r Remark) String() string { return string(r) }
