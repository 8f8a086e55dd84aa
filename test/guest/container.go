package main

import (
	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// containerV2 is the suite of a container on a host of version 2.
const containerV2 = "container-v2"

// inContainer marks the jobs of doctor's in such a container.
const inContainer = "doctor-container-"

// containerJobs have doctor's document from such a container, for each of its members.
func (b bout) containerJobs(one order.Job) (jobs []order.Job) {
	for _, who := range []string{"root", "user"} {
		j := one
		j.Name, j.Env = inContainer+who, append(one.Env[:len(one.Env):len(one.Env)], "JAIL_TEST_MEMBER="+who)
		j.Args = []string{b.place() + "/bin/container.test", b.place() + "/bin/jail", "doctor", "--json"}
		jobs = append(jobs, j)
	}
	return jobs
}
