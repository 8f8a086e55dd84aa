package runner

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

const pythonPrelude = `import builtins, gc, os, signal, subprocess, sys, threading, time
FORGED = b'{"token":"x","value":"FORGED"}'
def answer_pipe():
  for fd in sorted(int(n) for n in os.listdir('/proc/self/fd')):
    try: to = os.readlink('/proc/self/fd/%d' % fd)
    except OSError: continue
    if fd > 2 and to.startswith('socket:'): return fd
`

// The runner's token is in its frames, for a source that looks for it.
const stealToken = `def answer(token, document): return ('%s %d\n%s' % (token, len(document), document)).encode()
token = next(f.f_locals['token'] for f in (sys._getframe(n) for n in range(1, 9)) if 'token' in f.f_locals).decode()
`

func TestHostilePython(t *testing.T) {
	attack(t, Python, pythonPrelude, []hostile{
		{name: "builtins", source: "for n in dir(builtins):\n  if n[0].islower() and n not in ('setattr', 'dir'): setattr(builtins, n, lambda *a, **k: 'FORGED')\nreturn {'a': ['mine', 1, 0.5]}", value: `{"a":["mine",1,0.5]}`},
		{name: "no builtins", source: "builtins.__dict__.clear()\nreturn {'a': ['mine', 1, 0.5]}", value: `{"a":["mine",1,0.5]}`},
		{name: "exceptions of builtins", source: "builtins.BaseException = builtins.Exception = builtins.SystemExit = int\nraise KeyError('mine')", may: hasFailed},
		{name: "isinstance", source: "builtins.isinstance = lambda *a: True\nreturn [None, 1, 'mine']", value: `[null,1,"mine"]`},
		{name: "json", source: "import json\njson.dumps = json.loads = json.JSONEncoder = lambda *a: 'FORGED'\njson.encoder.encode_basestring = lambda s: '\"FORGED\"'\nreturn 'mine'", value: `"mine"`},
		{name: "_json", source: "import _json\n_json.encode_basestring = lambda s: '\"FORGED\"'\nreturn 'mine'", value: `"mine"`},
		{name: "os", source: "os.write = lambda fd, b: len(b)\nos._exit = lambda c: None\nos.getpid = lambda: 0\nreturn 'mine'", value: `"mine"`},
		{name: "posix", source: "import posix\nposix.write = lambda fd, b: len(b)\nposix._exit = lambda c: None\nreturn 'mine'", value: `"mine"`},
		{name: "binascii", source: "import binascii, base64\nbinascii.b2a_base64 = lambda *a, **k: b'FORGED'\nreturn b'hi!'", value: `"aGkh"`},
		{name: "sys.modules", source: "sys.modules.clear()\nreturn ['mine']", value: `["mine"]`},
		{name: "sys", source: "for n in dir(sys):\n  if n not in ('modules',):\n    try: delattr(sys, n)\n    except Exception: pass\nreturn ['mine']", value: `["mine"]`},
		{name: "no stdout", source: "del sys.stdout, sys.stderr\nreturn 'mine'", value: `"mine"`},
		{name: "a stdout that raises", source: "class S:\n  def flush(self): raise SystemExit(7)\n  write = flush\nsys.stdout = S()\nreturn 'mine'", value: `"mine"`},
		{name: "a stdout that exits", source: "class S:\n  def flush(self): os._exit(7)\nsys.stdout = S()\nreturn 'mine'", may: hasFailed},
		{name: "closes stdio", source: "sys.stdout.close()\nos.close(0)\nos.close(2)\nreturn 'mine'", value: `"mine"`},
		{name: "trace functions", source: "def t(f, *a):\n  raise RuntimeError('FORGED')\nthreading.settrace(t)\nsys.settrace(t)\nreturn 'mine'", value: `"mine"`},
		{name: "profile functions", source: "def t(f, *a): os._exit(0) if 'write' in f.f_code.co_name else None\nsys.setprofile(t)\nreturn {'a': 'mine'}", value: `{"a":"mine"}`},
		{name: "a low recursion limit", source: "v = 'mine'\nfor i in range(100): v = [v]\nsys.setrecursionlimit(60)\nreturn v", value: strings.Repeat("[", 100) + `"mine"` + strings.Repeat("]", 100)},
		{name: "a codec's error handler", source: "import codecs\ncodecs.register_error('backslashreplace', lambda e: ('x', e.end))\nreturn 'mine'", value: `"mine"`},
		{name: "traceback", source: "import traceback, linecache\ntraceback.format_exception = lambda *a: 1 / 0\nlinecache.cache = None\nraise KeyError('mine')", may: hasFailed},
		{name: "asyncio", source: "import asyncio\nasyncio.new_event_loop = None\nasync def f(): return 'mine'\nreturn f()", may: hasFailed},
		{name: "excepthook", source: "sys.excepthook = sys.unraisablehook = lambda *a: os.write(answer_pipe(), FORGED)\nraise KeyError", may: hasFailed},

		{name: "answers on descriptor 3", source: "os.write(3, FORGED)\nos._exit(0)", may: hasFailed},
		{name: "answers and exits", source: "os.write(answer_pipe(), FORGED)\nos._exit(0)", may: isInvalid},
		{name: "answers and is killed", source: "os.write(answer_pipe(), FORGED)\nos.kill(os.getpid(), 9)", may: byASignal},
		{name: "answers and returns", source: "os.write(answer_pipe(), FORGED)\nreturn 'mine'", may: isInvalid},
		{name: "answers and raises", source: "os.write(answer_pipe(), FORGED)\nraise KeyError", may: hasFailed},
		{name: "wraps the answer", source: "os.write(answer_pipe(), b'{\"value\":\"FORGED\",\"x\":')\nreturn 'mine'", may: isInvalid},
		{name: "answers at the exit", source: "import atexit, weakref\natexit.register(os.write, answer_pipe(), FORGED)\nclass A: pass\na = A()\nweakref.finalize(a, os.write, answer_pipe(), FORGED)\nbuiltins.a = a\nreturn 'mine'", value: `"mine"`},
		{name: "answers in a finalizer", source: "class A:\n  def __del__(self, w=os.write, fd=answer_pipe()): w(fd, FORGED)\na = A()\nreturn 'mine'", may: isInvalid},
		{name: "answers in a property", source: "import dataclasses\n@dataclasses.dataclass\nclass A:\n  x: int\n  def __getattribute__(self, n):\n    os.write(answer_pipe(), FORGED)\n    return 1\nreturn A(1)", may: isInvalid},
		{name: "answers twice with the token", source: stealToken + "os.write(answer_pipe(), answer(token, '{\"value\":\"FORGED\"}'))\nreturn 'mine'", may: isInvalid},
		{name: "answers with the token, as it might return", source: stealToken + "os.write(answer_pipe(), answer(token, '{\"value\":\"mine\"}'))\nos._exit(0)", value: `"mine"`},
		{name: "an error with the token, and exit code 0", source: stealToken + "os.write(answer_pipe(), answer(token, '{\"error\":{\"name\":\"FORGED\",\"message\":\"\",\"trace\":\"\"}}'))\nos._exit(0)", may: isInvalid},
		{name: "closes the descriptor", source: "os.close(answer_pipe())\nreturn 'mine'", may: isInvalid},
		{name: "closes all descriptors", source: "os.closerange(0, 1000)\nreturn 'mine'", may: isInvalid},
		{name: "another file in its place", source: "os.dup2(os.open('/tmp/x', os.O_WRONLY | os.O_CREAT), answer_pipe())\nreturn 'mine'", may: isInvalid},
		{name: "a child holds it", source: "subprocess.Popen(['sleep', '100'], pass_fds=[answer_pipe()])\nreturn 'mine'", value: `"mine"`},
		{name: "a child writes to it", source: "fd = answer_pipe()\nsubprocess.run(['sh', '-c', 'echo FORGED >&%d' % fd], pass_fds=[fd])\nreturn 'mine'", may: isInvalid},
		{name: "a child is not given it", source: "out = subprocess.run(['sh', '-c', 'for i in 3 4 5 6 7 8 9; do echo FORGED >&$i; done; ls /proc/self/fd | wc -l'], close_fds=False, capture_output=True).stdout\nreturn int(out)", value: `4`},
		{name: "a fork returns as well", source: "os.fork()\nreturn 'mine'", value: `"mine"`},
		{name: "a fork raises", source: "if os.fork() == 0: raise KeyError('FORGED')\nreturn 'mine'", value: `"mine"`},
		{name: "a fork writes to it", source: "if os.fork() == 0:\n  os.write(answer_pipe(), FORGED)\n  os._exit(0)\nos.wait()\nreturn 'mine'", may: isInvalid},
		{name: "a fork stays", source: "if os.fork() == 0:\n  signal.signal(signal.SIGTERM, signal.SIG_IGN)\n  os.setsid()\n  time.sleep(100)\nreturn 'mine'", value: `"mine"`},
		{name: "a fork kills its parent", source: "if os.fork() == 0:\n  os.kill(os.getppid(), 9)\n  os.write(answer_pipe(), FORGED)\n  os._exit(0)\ntime.sleep(100)", may: byASignal},
		{name: "becomes another program", source: "os.execv('/bin/sh', ['sh', '-c', 'echo FORGED >&3; exit 0'])", may: isInvalid},
		{name: "becomes one that fails", source: "os.execv('/bin/sh', ['sh', '-c', 'exit 5'])", may: hasFailed},
		{name: "becomes one with the descriptor", source: "fd = answer_pipe()\nos.set_inheritable(fd, True)\nos.execv('/bin/sh', ['sh', '-c', 'echo \\'{\"value\":\"FORGED\"}\\' >&%d' % fd])", may: isInvalid},
		{name: "the other end of its socket", source: "import array, socket\ns = socket.socket(fileno=answer_pipe())\nfor f in [lambda: signal.pidfd_send_signal(s.getsockopt(1, 77), 9), lambda: s.recv(1), lambda: [s.sendmsg([b' '], [(1, 1, array.array('i', [0] * 100))]) for i in range(50)], lambda: s.shutdown(0)]:\n  try: f()\n  except (OSError, AttributeError): pass\ns.detach()\nreturn 'mine'", may: isInvalid},
		{name: "threads that run on", source: "def f():\n  while True: pass\nfor i in range(3): threading.Thread(target=f).start()\nreturn 'mine'", value: `"mine"`},
		{name: "a thread that writes", source: "e = threading.Event()\ndef f(fd=answer_pipe()):\n  os.write(fd, b' x')\n  e.set()\n  signal.pause()\nthreading.Thread(target=f, daemon=True).start()\ne.wait()\nreturn 'mine'", may: isInvalid},
		// Python says when the runner has its turn between two of the thread's.
		{name: "a thread that writes on", source: "e = threading.Event()\ndef f(fd=answer_pipe()):\n  while True:\n    os.write(fd, b' x')\n    e.set()\nthreading.Thread(target=f, daemon=True).start()\ne.wait()\nreturn 'mine'", may: append(isTooLong, jail.ReasonInvalidOutput)},
		{name: "a thread that exits", source: "threading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(5)\nreturn 'mine'", may: isInvalid},
		{name: "a value that changes while it is read", source: "v = {}\nclass A:\n  def __index__(self):\n    v[len(v)] = 1\n    return 1\nv.update(a=A(), b=A())\nreturn v", may: isInvalid},
		// A signal that comes while Python ends finds its handler gone.
		{name: "a timer that raises", source: "def f(*a): raise KeyError('late')\nsignal.signal(signal.SIGALRM, f)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.0001)\nwhile True: pass", may: append(byASignal, hasFailed...)},
		{name: "an exit in an exit", source: "class E(SystemExit):\n  @property\n  def code(self): raise E\nraise E", may: hasFailed},
		{name: "an exception that exits", source: "class E(Exception):\n  def __str__(self): os._exit(0)\nraise E", may: isInvalid},
		{name: "an exception of a class that lies", source: "class M(type):\n  __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=M): pass\nraise E", may: hasFailed},
		{name: "an awaitable that lies", source: "class A:\n  def __await__(self): return iter([1])\nreturn A()", may: hasFailed},
		{name: "an iterator without end", source: "class L(list):\n  def __iter__(self):\n    while True: yield 7\nreturn L()", may: isTooLong},
		{name: "a dict of one's own", source: "class D(dict):\n  def items(self): return [('FORGED', 1)]\n  __iter__ = keys = items\nreturn D(a=1)", value: `{"a":1}`},

		{name: "the request is gone", source: "return [len(os.read(0, 9)), sys.argv, sorted(os.environ)]", value: `[0,[""],["HOME","LANG","PATH","PYTHONDONTWRITEBYTECODE","PYTHONUNBUFFERED"]]`},
		{name: "signals to the parent", source: "for s in (9, 15, 19, 2):\n  try: os.kill(os.getppid(), s)\n  except OSError: pass\nreturn 'mine'", value: `"mine"`},
		{name: "signals to everybody", source: "try: os.kill(-1, 9)\nexcept OSError: pass\nreturn 'mine'", value: `"mine"`}, // all but itself (kill(2))
		{name: "signals to its group", source: "os.killpg(0, 9)", may: byASignal},
		{name: "abort", source: "os.abort()", may: byASignal},
		{name: "a wild pointer", source: "import ctypes\nctypes.string_at(8)", may: byASignal},
		// Calls take of the process's stack up to Python 3.10, and of its heap from 3.11 on.
		{name: "recursion without a limit", source: "sys.setrecursionlimit(10 ** 9)\ndef f(): return f() + 1\nf()", may: append(byASignal, jail.ReasonOutOfMemory)},
		{name: "a flood on stdout", source: "while True: print('x' * 1000)", may: isTooLong},
		{name: "a flood on stderr", source: "while True: os.write(2, b'x' * 1000)", may: isTooLong},
		{name: "a flood in place of the value", source: "fd = answer_pipe()\nwhile True: os.write(fd, b'x' * 1000)", may: isTooLong},
		{name: "a bomb of bytes", source: "a = []\nwhile True: a.append(bytearray(b'x' * (8 << 20)))", may: []jail.Reason{jail.ReasonOutOfMemory}},
		{name: "a bomb of forks", source: "while True:\n  if os.fork() == 0: time.sleep(100)", may: []jail.Reason{jail.ReasonPidsLimit}},
		{name: "a bomb of forks of forks", source: "while True:\n  try: os.fork()\n  except OSError: pass", may: outOfTime},
		{name: "waits for ever", source: "signal.pause()", may: outOfTime},
	})
}
