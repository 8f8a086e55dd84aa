package jail

import (
	"maps"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// stepCounts are the system calls of PID 1 and of the program's process by stage, for a
// box without a grant on the host that root is a stand-in for: exactly those. Whoever adds one
// has to say so here; a stage that loses one has lost what it was for.
var stepCounts = map[Stage]int{
	StageGrants: 4, StageIdentity: 5, StageMounts: 45, StagePivot: 3, StageCgroup: 9,
	StageCaps:     46, // 41 to empty the bounding set
	StageLifeline: 5, StageReaper: 4, StageSession: 7, StageRlimits: 8, StageLandlock: 21,
	StageSeccomp: 4, StageEvidence: 11, StageExec: 1, StageSupervise: 3,
}

func TestStepsByStage(t *testing.T) {
	p, err := compile(Spec{Args: []string{"/bin/true"}}, root(), view{}, shape{tasks: 4}, ablation.Set(nil))
	if err != nil {
		t.Fatal(err)
	}
	got := map[Stage]int{}
	for _, steps := range p.lists {
		for _, s := range steps {
			got[s.Stage]++
		}
	}
	if !maps.Equal(got, stepCounts) {
		t.Errorf("system calls by stage: %v, want %v", got, stepCounts)
	}
}
