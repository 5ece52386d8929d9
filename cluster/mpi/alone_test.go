//go:build !mpi

package mpi

import (
	"strings"
	"testing"
)

// A program without MPI is as ever where it was started alone, whatever started it, and refuses to be one of several.
func TestStartWithoutMPI(t *testing.T) {
	all := []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"OMPI_COMM_WORLD_SIZE": "1", "PMIX_RANK": "0"}, ""},
		{map[string]string{"OMPI_COMM_WORLD_SIZE": "2"}, "built without MPI"},
		{map[string]string{"PMI_SIZE": "3"}, "built without MPI"},
		{map[string]string{"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, ""},
		{map[string]string{"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"}, "built without MPI"},
		{map[string]string{"PMIX_RANK": "1"}, "built without MPI"},
		{map[string]string{"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"}, ""},
		{map[string]string{"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "2"}, "several tasks without MPI"},
	} {
		for _, name := range all {
			t.Setenv(name, c.env[name])
		}
		job, err := Start()
		switch {
		case c.want == "" && (job != nil || err != nil):
			t.Errorf("%v: %v, %v", c.env, job, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: %v, not %q", c.env, err, c.want)
		}
	}
}
