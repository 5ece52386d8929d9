package cli

// CV says that the verb is cross-validation, which alone has folds.
func (f *RunFlags) CV() bool { return f.Folds > 0 }

// checkChoice refuses a grid where there is nothing to choose.
func (f *RunFlags) checkChoice() error {
	name := f.Changed([]string{"points", "ratio"})
	by := f.Changed([]string{"lambda", "lambda-ratio", "constrain", "resume"})
	if name != "" && by != "" && f.Lambda != "auto" || name != "" && by != "" && by != "lambda" {
		return Usagef("--%s: is of the λ that --lambda auto tries, and --%s leaves nothing to choose", name, by)
	}
	return nil
}

// checkPath refuses a gauge that has no λ.
func (f *RunFlags) checkPath() error {
	if f.Gauge == "simplex" {
		return Usagef("--gauge simplex: is held at a --constrain, and a path is over λ; take positive-l1")
	}
	return nil
}
