package jail

import (
	"fmt"
	"time"
)

// LimitRange is what the limit that Faults call field, such as "limits.memory",
// may be, in words; "" if there is none of that name.
func LimitRange(field string) string {
	within := func(low, high int64, unit string) string { return fmt.Sprintf("from %d to %d%s", low, high, unit) }
	switch field {
	case "limits.memory":
		return within(minMemory, maxSize, " bytes")
	case "limits.tmp_size":
		return within(minTmpSize, maxSize, " bytes")
	case "limits.output", "limits.file_size":
		return within(1, maxSize, " bytes")
	case "limits.pids":
		return within(minPids, maxPids, " processes (PID 1 is one of them)")
	case "limits.nofile":
		return within(minNoFile, maxNoFile, " descriptors")
	case "limits.timeout", "limits.idle_timeout", "limits.cpu_time":
		return fmt.Sprintf("from %v to %dh", minTime, maxTime/time.Hour)
	case "limits.cpus":
		return fmt.Sprintf("from %v to %d processors", minCPUs, maxCPUs)
	}
	return ""
}
