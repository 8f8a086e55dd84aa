package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// TestWrappers: the wrappers are programs, if nothing more is installed.
func TestWrappers(t *testing.T) {
	files, err := filepath.Glob(sources + "/wrappers/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		check := exec.Command("node", "--check", f)
		if filepath.Ext(f) == ".py" {
			check = exec.Command("python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", f)
		}
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", f, err, out)
		}
	}
	// The part of them that is ours does what it says.
	module, err := filepath.Abs(sources + "/wrappers/run_code.mjs")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "--input-type=module", "-e", `import { runCode } from "`+module+`"; console.log(await runCode("return input * 2", 21), await runCode("throw 1"), await runCode("\0")); for (const n of [600, 1e5]) { let deep = []; for (let i = 0; i < n; i++) deep = [deep]; console.log(await runCode("return 1", deep)) }`).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"value":42`) || !strings.Contains(string(out), "execution_failed") || !strings.Contains(string(out), "must not hold a NUL character") || !strings.Contains(string(out), "must not be nested deeper") || !strings.Contains(string(out), "input can not be sent: ") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestWrappersInPlace: the tools do what their libraries want of one.
func TestWrappersInPlace(t *testing.T) {
	dir := t.TempDir()
	if err := shipped.InstallNpm(dir, "@langchain/core@1.4.0", "ai@6.0.326", "zod@4.6.7"); err != nil {
		shipped.NotToBeHad(t, err.Error())
	}
	// Where their imports are found.
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(sources)); err != nil {
		t.Fatal(err)
	}
	program := `import { runCodeTool as ai } from './examples/wrappers/ai_sdk_tool.mjs'
import { runCodeTool as langchain } from './examples/wrappers/langchain_tool.mjs'
const call = { source: 'return input * 2', input: 21 }
console.log(await ai.execute(call, {}), await langchain.invoke(call))`
	node := exec.Command("node", "--input-type=module", "-e", program)
	node.Dir = dir
	if out, err := node.CombinedOutput(); err != nil || strings.Count(string(out), `"value":42`) != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPythonWrapper: the tool for LangChain in Python answers as a model would call
// it. In the place of LangChain stands what the wrapper uses of it: a decorator that
// wants a description and annotated parameters, as the original does.
func TestPythonWrapper(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "langchain_core"), 0o755); err != nil {
		t.Fatal(err)
	}
	standIn := `import typing
def tool(f):
    assert f.__doc__ and set(typing.get_type_hints(f)) == {"source", "input", "return"}
    return f
`
	if err := os.WriteFile(filepath.Join(dir, "langchain_core", "tools.py"), []byte(standIn), 0o644); err != nil {
		t.Fatal(err)
	}
	program := `import json, langchain_tool
print(json.loads(langchain_tool.run_code("return input * 2", "21"))["value"])
print(json.loads(langchain_tool.run_code("return 0"))["value"])
print(json.loads(langchain_tool.run_code("1/0"))["reason"])
print(json.loads(langchain_tool.run_code("\0"))["message"])
print(json.loads(langchain_tool.run_code("return 1", "[" * 600 + "]" * 600))["message"])
for input in "{", "NaN", "[-Infinity]", "[" * 100000 + "]" * 100000:
    print(langchain_tool.run_code("return 1", input))`
	wrappers, err := filepath.Abs(sources + "/wrappers")
	if err != nil {
		t.Fatal(err)
	}
	python := exec.Command("python3", "-B", "-c", program)
	python.Env = append(os.Environ(), "PYTHONPATH="+dir+":"+wrappers)
	out, err := python.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "42\n0\nexecution_failed\nsource: must not hold a NUL character\ninput: must not be nested deeper than 500 levels\ninput must be JSON: ") || strings.Count(string(out), "input must be JSON: ") != 4 {
		t.Errorf("%v: %s", err, out)
	}
}
