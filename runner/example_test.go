package runner_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
)

func ExampleEval() {
	host := profiles.CurrentHost()
	profile, err := profiles.Load("python", host)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, source := range []string{"return sum(input)", "return sum(input) / 0", "return float('nan')", "while True: print('x')"} {
		request := runner.Request{Source: source, Input: json.RawMessage("[1, 2, 3]")}
		spec, err := profile.Spec(runner.Python.Command(request), profiles.Overrides{}, host)
		if err != nil {
			fmt.Println(err)
			return
		}
		res, err := runner.Eval(context.Background(), spec, runner.Python, request)
		switch {
		case err != nil: // nothing ran
			fmt.Println(err)
		case res.Reason == jail.ReasonOK:
			fmt.Printf("%s: %s\n", res.Reason, res.Value)
		case res.Error != nil: // what the model has to know to mend it
			fmt.Printf("%s: %s: %s\n", res.Reason, res.Error.Name, res.Error.Message)
		default:
			fmt.Printf("%s: %s\n", res.Reason, res.Message)
		}
	}
	// Output:
	// ok: 6
	// execution_failed: ZeroDivisionError: division by zero
	// invalid_output: the program ended with exit code 0, and there is no value: value is nan, for which JSON has nothing
	// output_too_large: ended after it wrote more than 1048576 bytes of output
}
