package runner

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// groups makes e, an error of an import, and what groups errors, from Python 3.11 on.
const groups = `import builtins
group = getattr(builtins, 'ExceptionGroup', lambda message, errors: errors[0])
try:
  import msvcrt
except ImportError as error:
  e = error
`

func TestPython(t *testing.T) {
	check(t, Python, []row{
		{name: "return", source: "return input['a'] + 1", input: `{"a":41}`, value: "42"},
		{name: "no input", source: "return input", value: "null"},
		{name: "await", source: "import asyncio\nawait asyncio.sleep(0.005)\nreturn 'x'", value: `"x"`},
		{name: "async with, async for, comprehensions", source: "async def g():\n  yield 1\nreturn [x async for x in g()]", value: "[1]"},
		{name: "a coroutine is awaited", source: "async def f():\n  return [1]\nreturn f()", value: "[1]"},
		{name: "asyncio.run", source: "import asyncio\nasync def f():\n  return 1\nreturn asyncio.run(f())", value: "1"},
		{name: "None", source: "1 + 1", value: "null"},
		{name: "empty", source: "", value: "null"},
		{name: "a comment", source: "# nothing", value: "null"},
		{name: "functions that call one another", source: "def f(n):\n  return g(n)\ndef g(n):\n  return n\nreturn f(1)", value: "1"},
		{name: "text of many lines", source: "return '''a\n  b'''", value: `"a\n  b"`},
		{name: "__future__", source: "'doc'\nfrom __future__ import annotations\ndef f(x: nowhere): return 1\nreturn f(1)", value: "1"},
		{name: "__main__", source: "import __main__\nif __name__ == '__main__':\n  return [n for n in dir(__main__) if n[0] != '_']", value: "[]"},
		{name: "global", source: "global x\nx = 1\ndef f(): return x\nreturn f()", value: "1"},
		{name: "print", source: "print('{\"value\":1}')\nimport sys\nprint('x', file=sys.stderr)\nreturn 2", value: "2"},
		{name: "much printed is not lost", source: "print('x' * 900000)\nreturn 2", value: "2", stdout: 900001},
		{name: "what is printed in pieces is not lost", source: "import sys\nfor i in range(100000): sys.stdout.write('%d\\n' % i)\nreturn 2", value: "2", stdout: 588890},
		{name: "strings", source: `return ['é', '\u2028', '\x00', '</script>', '\U0001f600']`, value: "[\"é\",\"\u2028\",\"\\u0000\",\"</script>\",\"😀\"]"},
		{name: "half a surrogate pair", source: `return {'a': 'a\ud800'}`, reason: jail.ReasonInvalidOutput, says: "surrogate"},
		{name: "input of odd strings", source: "return [ord(input[0]), input[1], input[2]]", input: `["\ud800","\u0000","é"]`, value: `[55296,"\u0000","é"]`},
		{name: "numbers", source: "return [1e21, -0.0, 0.1, 123456789012345678901234567890, True, False]", value: "[1e+21,-0.0,0.1,123456789012345678901234567890,true,false]"},
		{name: "a large integer in the input is exact", source: "return input", input: "9007199254740993", value: "9007199254740993"},
		{name: "an integer of 5000 digits in the input", source: "import sys\nbound = getattr(sys, 'get_int_max_str_digits', lambda: 4300)()\nreturn [input == 10 ** 5000 + 7, bound]", input: "1" + strings.Repeat("0", 4999) + "7", value: "[true,4300]"},
		{name: "an integer as large as doubles", source: "return [2 ** 1023, -(2 ** 1023)]", value: "[" + twoTo1023 + ",-" + twoTo1023 + "]"},
		{name: "an integer beyond doubles", source: "return [1, 10 ** 309]", reason: jail.ReasonInvalidOutput, says: "beyond 1.8e308"},
		{name: "an integer of too many digits", source: "return {'a': 10 ** 5000}", reason: jail.ReasonInvalidOutput, says: `value["a"] is an integer beyond 1.8e308`},
		{name: "NaN", source: "return {'a': [1, float('nan')]}", reason: jail.ReasonInvalidOutput, says: `value["a"][1] is nan`},
		{name: "Infinity", source: "return -float('inf')", reason: jail.ReasonInvalidOutput, says: "value is -inf"},
		{name: "dates", source: "import datetime as d\nreturn [d.datetime(1970, 1, 1, tzinfo=d.timezone.utc), d.date(1970, 1, 1), d.time(1, 2)]", value: `["1970-01-01T00:00:00+00:00","1970-01-01","01:02:00"]`},
		{name: "bytes", source: "return [b'hi!', bytearray(b'\\x01'), memoryview(b'\\0\\0')]", value: `["aGkh","AQ==","AAA="]`},
		{name: "dict", source: "return {'a': 1, 2: {}}", value: `{"a":1,"2":{}}`},
		{name: "a dict with other keys", source: "return {(1, 2): 1}", reason: jail.ReasonInvalidOutput, says: "key"},
		{name: "a dict with None for a key", source: "return {None: 1}", reason: jail.ReasonInvalidOutput, says: "key"},
		{name: "a dict with keys that become one", source: "return {'1': 1, 1: 2}", reason: jail.ReasonInvalidOutput, says: "two keys"},
		{name: "set and tuple", source: "import collections\nreturn [{1}, (1, 2), frozenset(), range(2), {'a': 1}.keys(), collections.namedtuple('N', 'a')(1)]", value: `[[1],[1,2],[],[0,1],["a"],[1]]`},
		{name: "dataclass", source: "import dataclasses\n@dataclasses.dataclass\nclass A:\n  x: int\n  y: object = None\nreturn A(1, A(2))", value: `{"x":1,"y":{"x":2,"y":null}}`},
		{name: "enum", source: "import enum\nclass E(enum.Enum):\n  A = 'a'\nclass I(enum.IntEnum):\n  B = 2\nreturn [E.A, I.B]", value: `["a",2]`},
		{name: "an object", source: "return object()", reason: jail.ReasonInvalidOutput, says: "value is of type object"},
		{name: "Decimal", source: "import decimal\nreturn decimal.Decimal(1)", reason: jail.ReasonInvalidOutput, says: "decimal.Decimal"},
		{name: "a function", source: "return {'f': len}", reason: jail.ReasonInvalidOutput, says: `value["f"] is of type builtin_function_or_method`},
		{name: "an error as the value", source: "return ValueError('a')", reason: jail.ReasonInvalidOutput, says: "ValueError"},
		{name: "a generator", source: "yield 1", reason: jail.ReasonInvalidOutput, says: "generator"},
		{name: "a class with __index__", source: "class A:\n  def __index__(self): return 7\nreturn A()", value: "7"},
		{name: "subclasses", source: "class S(str):\n  def __str__(self): return 'no'\nclass I(int):\n  def __repr__(self): return '\"no\"'\nclass F(float):\n  def __repr__(self): return '\"no\"'\nclass D(dict):\n  def items(self): return [('no', 1)]\nreturn [S('a'), I(1), F(0.5), D(a=1), D({S('b'): 1})]", value: `["a",1,0.5,{"a":1},{"b":1}]`},
		{name: "a class that lies", source: "class A:\n  __class__ = str\nreturn A()", reason: jail.ReasonInvalidOutput, says: "can not be read"},
		{name: "cyclic", source: "a = {}\na['b'] = [a]\nreturn a", reason: jail.ReasonInvalidOutput, says: `value["b"][0] contains itself`},
		{name: "the same twice", source: "a = [1]\nreturn [a, a]", value: "[[1],[1]]"},
		{name: "deep", source: "a = []\nfor i in range(10000): a = [a]\nreturn a", reason: jail.ReasonInvalidOutput, says: "deeper than 500"},
		{name: "as deep as may be", source: "return input", input: nested(MaxDepth), value: nested(MaxDepth)},
		{name: "a property that raises", source: "import dataclasses\n@dataclasses.dataclass\nclass A:\n  x: int\n  def __getattribute__(self, n): raise TypeError('no')\nreturn A(1)", reason: jail.ReasonInvalidOutput, says: "TypeError"},
		{name: "__proto__", source: "return input", input: `{"__proto__":{"a":1}}`, value: `{"__proto__":{"a":1}}`},
		{name: "huge", source: "return 'x' * 3000000", reason: jail.ReasonOutputTooLarge},
		{name: "huge by length", source: "return range(10 ** 12)", reason: jail.ReasonOutputTooLarge},

		{name: "raise", source: "def f():\n  raise TypeError('no')\nf()", reason: jail.ReasonExecutionFailed, err: "TypeError: no", says: `File "source.py", line 2, in f`},
		{name: "raise later", source: "import asyncio\nawait asyncio.sleep(0)\nNone.x", reason: jail.ReasonExecutionFailed, err: "AttributeError: ", says: `File "source.py", line 3, in source`},
		{name: "the line in the trace", source: "x = 1\nraise ValueError(x)  # here", reason: jail.ReasonExecutionFailed, err: "ValueError: 1", says: "raise ValueError(x)  # here"},
		{name: "raise from", source: "try:\n  1 / 0\nexcept Exception as e:\n  raise KeyError('k') from e", reason: jail.ReasonExecutionFailed, err: "KeyError: 'k'", says: "ZeroDivisionError"},
		{name: "raise from what an import raised", source: "try:\n  import msvcrt\nexcept ImportError as e:\n  raise KeyError('k') from e", reason: jail.ReasonExecutionFailed, err: "KeyError: 'k'", says: "line 2, in source\n    import msvcrt\nModuleNotFoundError: No module named 'msvcrt'\n"},
		{name: "raise while another is handled", source: "try:\n  import msvcrt\nexcept ImportError:\n  try:\n    1 / 0\n  finally:\n    None.x", reason: jail.ReasonExecutionFailed, err: "AttributeError: ", says: "ModuleNotFoundError: No module named 'msvcrt'\n"},
		{name: "raise a group", source: groups + "raise group('a', [e, group('b', [e])])", reason: jail.ReasonExecutionFailed, err: anything, says: "ModuleNotFoundError: No module named 'msvcrt'"},
		{name: "what is printed of a trace", source: groups + "import io, traceback\nout = io.StringIO()\ntry:\n  raise KeyError from group('a', [e])\nexcept KeyError:\n  traceback.print_exc(file=out)\nreturn ['msvcrt' in out.getvalue(), '<runner>' in out.getvalue()]", value: "[true,false]"},
		{name: "raise what is no exception", source: "raise 42", reason: jail.ReasonExecutionFailed, err: "TypeError: exceptions must derive"},
		{name: "KeyboardInterrupt", source: "raise KeyboardInterrupt", reason: jail.ReasonExecutionFailed, err: "KeyboardInterrupt: "},
		{name: "raise what can't be read", source: "class E(Exception):\n  def __str__(self): raise ValueError\nraise E", reason: jail.ReasonExecutionFailed, err: "E: what was raised"},
		{name: "raise in the background", source: "import asyncio\nasync def f(): raise ValueError\nasyncio.create_task(f())\nawait asyncio.sleep(0.05)\nreturn 1", value: "1"},
		{name: "raise in a thread", source: "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\nreturn 1", value: "1"},
		{name: "an error from Python", source: "open('/nowhere')", reason: jail.ReasonExecutionFailed, err: "FileNotFoundError: ", says: `source.py", line 1`},
		{name: "syntax", source: "a = 1\nb = = 2", reason: jail.ReasonExecutionFailed, err: "SyntaxError: ", says: `File "source.py", line 2`},
		{name: "indentation", source: "if 1:\nreturn 2", reason: jail.ReasonExecutionFailed, err: "IndentationError: ", says: "line 2"},
		{name: "import *", source: "from os import *", reason: jail.ReasonExecutionFailed, err: "SyntaxError: import *", says: "line 1"},
		{name: "nested too deep to compile", source: "return " + nested(1000), reason: jail.ReasonExecutionFailed, err: anything},
		{name: "never settles", source: "import asyncio\nawait asyncio.Future()", reason: jail.ReasonTimeout},
		{name: "never ends", source: "while True: pass", reason: jail.ReasonTimeout},
		{name: "exit", source: "import sys\nsys.exit(0)", reason: jail.ReasonInvalidOutput, says: "without a value"},
		{name: "exit()", source: "exit()", reason: jail.ReasonInvalidOutput, says: "without a value"},
		{name: "exit with a code", source: "import sys\nsys.exit(3)", reason: jail.ReasonExecutionFailed, err: "SystemExit: 3", says: "exit code 3"},
		{name: "exit with words", source: "import sys\nsys.exit('words')", reason: jail.ReasonExecutionFailed, err: "SystemExit: words", says: "exit code 1"},
		{name: "exit with 256", source: "import sys\nsys.exit(256)", reason: jail.ReasonInvalidOutput, says: "without a value"},
		{name: "exit with what is no long", source: "import sys\nsys.exit(10**30)", reason: jail.ReasonExecutionFailed, err: "SystemExit: 1000", says: "exit code 255"},
		{name: "_exit", source: "import os\nos._exit(4)", reason: jail.ReasonExecutionFailed, says: "exit code 4"},
		{name: "stdin is empty", source: "import sys\nreturn sys.stdin.read()", value: `""`},
		{name: "BOM", source: "\ufeffreturn 1", value: "1"},
		{name: "shebang", source: "#!/usr/bin/env python3\nreturn 1", value: "1"},
		{name: "CRLF", source: "a = 1\r\nreturn a\r\n", value: "1"},
		{name: "threads are not waited for", source: "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nreturn 1", value: "1"},
		{name: "argv is clean", source: "import sys\nreturn [sys.argv, len(getattr(sys, 'orig_argv', ['']))]", value: `[[""],1]`},
		{name: "stack overflow", source: "def f(): return f() + 1\nf()", reason: jail.ReasonExecutionFailed, err: "RecursionError: "},
	}, profiles.Overrides{Limits: jail.Limits{Timeout: 6 * time.Second}})
}

var twoTo1023 = new(big.Int).Lsh(big.NewInt(1), 1023).String()

func TestSh(t *testing.T) {
	check(t, Sh, []row{
		{name: "stdout is the value", source: "echo '[1, 2]'", value: "[1, 2]"},
		{name: "stderr is not", source: "echo log >&2; echo 1", value: "1"},
		{name: "input", source: "cat", input: `{"a":1}`, value: `{"a":1}`},
		{name: "read", source: `read -r x; echo "[$x]"`, input: "1", value: "[1]"},
		{name: "no input", source: "wc -c", value: "0"},
		{name: "empty", source: "true", reason: jail.ReasonInvalidOutput, says: "wrote none"},
		{name: "no JSON", source: "echo hello", reason: jail.ReasonInvalidOutput, says: "not one JSON document"},
		{name: "two", source: "echo 1; echo 2", reason: jail.ReasonInvalidOutput},
		{name: "a number beyond doubles", source: "echo '[\"1e999\", 1e999]'", reason: jail.ReasonInvalidOutput, says: "the number 1e999, which is beyond"},
		{name: "an integer of 5000 digits", source: "printf '1%05000d' 0", reason: jail.ReasonInvalidOutput, says: "beyond 1.8e308"},
		{name: "a number of 5000 digits that is none", source: "printf '0.%05000d1e-400' 0 | wc -c", value: "5008"},
		{name: "no UTF-8", source: `printf '"\377"'`, reason: jail.ReasonInvalidOutput, says: "not UTF-8"},
		{name: "deep", source: "i=0; while [ $i -lt 10000 ]; do printf '['; i=$((i+1)); done", reason: jail.ReasonInvalidOutput, says: "deeper than 500 levels"},
		{name: "no descriptor 3", source: "(echo 2 >&3) 2>/dev/null; echo 1", value: "1"},
		{name: "exit", source: "echo 1; exit 3", reason: jail.ReasonExecutionFailed, says: "exit code 3"},
		{name: "syntax", source: "if", reason: jail.ReasonExecutionFailed},
		{name: "CRLF", source: "x=1\r\necho $x\r\n", value: "1"},
		{name: "shebang and BOM", source: "\ufeff#!/bin/sh\necho 1", value: "1"},
		{name: "begins with a dash", source: "-e; echo 1", value: "1"},
		{name: "huge", source: "yes", reason: jail.ReasonOutputTooLarge},
		{name: "in the background", source: "sleep 100 & echo 1", value: "1"},
	}, profiles.Overrides{Limits: jail.Limits{Timeout: 6 * time.Second}})
}
