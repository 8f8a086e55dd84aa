package jail

import (
	"fmt"
	"strings"

	"github.com/seed-75010da9/jail/jail/internal/spell"
	"github.com/seed-75010da9/jail/seccomp"
)

// refusedVariants are those of a call whose arguments the policy refuses, by its own table,
// but for those that are known of already. The filter alone is asked: a box may have been
// given the call whatever its arguments.
func refusedVariants(name string, known [][6]uint64) (tries []*try) {
	nr, _ := seccomp.Number(name)
	told := map[string]bool{}
	for _, values := range seccomp.Refusals(name, known) {
		text := spell.Call(name, int32(nr), values, nil)
		if text == name+"(…)" {
			text = name + "(" + numbersText(values) + ")"
		}
		if told[text] {
			continue
		}
		told[text] = true
		tries = append(tries, &try{access: "call it", name: name, call: text, variant: true, values: values, notTried: "its arguments might do harm"})
	}
	return tries
}

// numbersText are a call's arguments up to the last that is not 0.
func numbersText(values [6]uint64) string {
	last := len(values) - 1
	for last > 0 && values[last] == 0 {
		last--
	}
	words := make([]string, last+1)
	for i := range words {
		words[i] = fmt.Sprintf("%#x", values[i])
	}
	return strings.Join(append(words, "…"), ", ")
}
