// Package warning has what tasks doubt about data and about what was fitted to them: each a task.Warning that knows what it is
// about, for the command to say which flags mend it.
package warning
