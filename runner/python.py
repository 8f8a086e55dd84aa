# Runs in the box, before the source and in its process, with a copy of the builtins
# that the source does not share. What is used after the source has begun is taken
# hold of here.
#
# Python was started with -S and without the variables that name other places for its
# library: what it looks through is the library, and with it the working folder at most.
import sys

folder = sys.path.pop(0) if sys.path and sys.path[0] == "" else None  # nothing of ours is to come from there
LIBRARY = list(sys.path)
import os

if sys.version_info < (3, 8):  # what follows needs that, and the source can't help it
    import json
    with open(0, "rb", closefd=False) as f:
        request = json.loads(f.read().decode())
    told = {"name": "OldPython", "message": "sources need Python 3.8 or later, and this is " + sys.version.split()[0], "trace": ""}
    answer = json.dumps({"error": told}).encode()
    os.write(3, b"%s %d\n" % (request["token"].encode(), len(answer)) + answer)
    os._exit(1)
if os.environ.get("PYTHONSAFEPATH") == "jail":  # ours, which kept the folder away so far
    del os.environ["PYTHONSAFEPATH"]
    if not sys.flags.ignore_environment and getattr(sys.flags, "safe_path", False) and "-P" not in sys.orig_argv:
        folder = ""
for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX"):
    if "JAIL_" + name in os.environ:
        os.environ[name] = os.environ.pop("JAIL_" + name)
import _ast
import _signal
import binascii
import builtins
import io
import json
import linecache
import site
from _frozen_importlib_external import PathFinder

try:
    from _json import encode_basestring as quote
except ImportError:
    from json.encoder import py_encode_basestring as quote
lib = os.path.dirname(os.__file__)


def hide():
    """Makes the process one whose memory its children can't read or change through
    /proc (prctl(2), PR_SET_DUMPABLE), and with it the request, the token and what
    answers. They are dumpable again by their own execve."""
    try:
        import _ctypes
        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
        _ctypes.call_function(prctl, (4, 0, 0, 0, 0))
    except Exception:
        pass  # a Python without it; what the children can do then is documented


hide()  # while a module that is missing can't come from elsewhere


def packages():
    """The folders of packages that site finds, which also sees to the prefix of a virtual
    environment and to exit, quit and help. It runs nothing of what lies there: the code of
    .pth files, sitecustomize and usercustomize are for whoever starts Python, and may be
    what an earlier evaluation has left or has changed."""
    found = []

    def add(place, *_, **__):
        found.append(os.path.abspath(place))

    ours = {"addsitedir": add, "execsitecustomize": int, "execusercustomize": int}
    theirs = {name: getattr(site, name) for name in ours}
    vars(site).update(ours)
    site.main()
    vars(site).update(theirs)
    return found


def named(place):
    """The folders that .pth files in a folder of packages name, as editable installs do."""
    try:
        files = [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith(".pth") and name[0] != "."]
    except OSError:
        return
    for file in filter(os.path.isfile, files):
        try:
            with open(file, encoding="utf-8-sig", errors="surrogateescape") as f:
                lines = f.read().splitlines()
        except OSError:
            continue
        for line in lines:
            path = os.path.abspath(os.path.join(place, line.rstrip()))
            if line.strip() and not line.startswith(("#", "import ", "import\t")) and os.path.exists(path):
                yield path


# The working folder and those of PYTHONPATH come behind the library. Python imports parts
# of it when it needs them, for a warning or a traceback, and so does whatever the source
# imports; what an earlier evaluation left in a folder is not to be taken for those.
PLACES = packages()
UNSURE = [folder] * (folder is not None)
if os.environ.get("PYTHONPATH") and not sys.flags.ignore_environment:
    UNSURE += map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep))
NAMED = [path for place in PLACES for path in named(place)]
sys.path[:] = dict.fromkeys(LIBRARY + UNSURE + PLACES + NAMED)
UNSURE = frozenset([""] + UNSURE + NAMED + [place for place in PLACES if os.access(place, os.W_OK)]).difference(LIBRARY)


class Library:
    """Finds what has a name of the library's anywhere but in a folder that an evaluation
    may have written to, and what else a statement of the library's own code imports
    nowhere but there: the library tries to import what only other systems and Pythons
    have of it, such as org, _wmi and vms_lib."""

    def find_spec(self, name, path=None, target=None, names=frozenset(getattr(sys, "stdlib_module_names", ())) | {"tzdata"}, find=PathFinder.find_spec, unsure=UNSURE, library=tuple(LIBRARY)):
        if path is not None or not isinstance(sys.path, list):
            return None
        if name in names:
            where = [p for p in sys.path if p not in unsure]
        elif self.asks(name):
            where = library
        else:
            return None
        spec = find(name, where)
        if spec is None:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
        return spec

    # By a name in a variable the library imports for others: importlib, pickle, unittest.
    def asks(self, name, frame=sys._getframe, lib=lib + os.sep, others=(os.path.join(lib, "site-packages", ""), os.path.join(lib, "dist-packages", "")),
             zips=tuple(p + os.sep for p in LIBRARY if p.endswith(".zip"))):
        f = frame(2)
        while f is not None and f.f_code.co_filename.startswith("<frozen importlib"):
            f = f.f_back
        if f is None or not any(n == name or n.startswith(name + ".") for n in f.f_code.co_names):
            return False
        file = f.f_code.co_filename
        return file.startswith(("<frozen ", lib) + zips) and not file.startswith(others)


# A finder is none of whoever imports: Python leaves out the frames of its own from what an
# import raises, which is known by the name of their file.
try:
    Library.find_spec.__code__ = Library.find_spec.__code__.replace(co_filename=PathFinder.find_spec.__func__.__code__.co_filename)
except Exception:
    pass  # another Python; the frame is there then, where the program itself prints one

if PathFinder in sys.meta_path:
    sys.meta_path.insert(sys.meta_path.index(PathFinder), Library())

MAX_DEPTH = 500

# What the source is called where Python looks for the file of its code, which it does in
# the working folder, for a line to quote: a name that no file there can have, since with
# the slash it is a folder's (path_resolution(7)). A folder has no lines, and a FIFO of
# that name is not waited for.
NAME = "source.py/"


class Refusal(Exception):
    pass


def run(os_write=os.write, os_exit=os._exit, os_getpid=os.getpid, b2a=binascii.b2a_base64, modules=sys.modules, library=LIBRARY,
        settrace=sys.settrace, setprofile=sys.setprofile, os_fstat=os.fstat, mask=_signal.pthread_sigmask, signals=_signal.valid_signals(), setrecursionlimit=sys.setrecursionlimit):
    bound = sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else 0
    if bound:  # it is for the source, and not for its input
        sys.set_int_max_str_digits(0)
    with open(0, "rb", buffering=0, closefd=False) as f:
        request = json.loads(f.readall())
    if bound:
        sys.set_int_max_str_digits(bound)
    token, limit, source, given = request["token"].encode(), request["limit"], request["source"], request["input"]
    del request

    # Without a time it is kept: there is nothing to compare it with.
    lines = io.StringIO(source, None).readlines()
    known = (len(source), None, lines, NAME)
    linecache.cache[NAME] = known

    # The descriptor leaves its number, and is closed in the programs that the
    # source starts: what they write there is no value.
    fd = os.dup(3)
    os.close(3)
    opened = os.fstat(fd)

    def own(name):
        """Imports a module of the library, and nobody else's."""
        kept, sys.path = sys.path, list(library)
        try:
            return __import__(name)
        finally:
            sys.path = kept

    pid = os_getpid()
    streams = [sys.stdout, sys.stderr]
    answered = []

    # What has been closed by the source may be another file by now. told is for people
    # then, since the record gets nothing.
    def send(document, told="jail: the source has closed the descriptor of its value, which it had not opened\n"):
        if answered or os_getpid() != pid:  # a process that the source forked answers nothing
            return
        answered.append(True)
        document = document.encode("utf-8", "backslashreplace")  # a lone surrogate becomes its escape
        try:
            if os_fstat(fd).st_ino != opened.st_ino:
                raise OSError
            for left in (memoryview(b"%s %d\n" % (token, len(document))), memoryview(document)):
                while left:
                    left = left[os_write(fd, left):]
        except OSError:
            try:
                os_write(2, told.encode("utf-8", "backslashreplace"))
            except OSError:
                pass

    def end(code):
        for stream in [getattr(sys, "stdout", None), getattr(sys, "stderr", None)] + streams:
            try:
                stream.flush()
            except BaseException:
                pass
        os_exit(code)

    parts = ['{"value":']
    size = [0]
    path = []
    parents = []

    def refuse(why):
        at = "value" + "".join("[" + (str(key) if isinstance(key, int) else quote(key)) + "]" for key in path)
        raise Refusal((at if len(at) <= 1000 else at[:1000] + "…") + " " + why)

    def add(piece):
        parts.append(piece)
        size[0] += len(piece)
        if size[0] > limit:  # more than is taken, in whatever encoding
            send("".join(parts))
            end(1)

    # What is too large is not written first, for which there may be no memory.
    def add_text(text):
        room = limit - size[0]
        add(quote(text) if str.__len__(text) <= room else str.__getitem__(text, slice(0, room + 1)))

    def add_bytes(data):
        data = memoryview(data)
        room = limit - size[0]
        add('"' + b2a(bytes(data), newline=False).decode("ascii") + '"' if data.nbytes <= room else "A" * (room + 1))

    def write_list(items):
        add("[")
        for i, item in enumerate(items):
            if i:
                add(",")
            path.append(i)
            write(item)
            path.pop()
        add("]")

    def write_members(members):
        names = set()
        add("{")
        for key, item in members:
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                refuse("is a dict with a key that is neither a string nor an integer")
            name = str.__str__(key) if isinstance(key, str) else int.__repr__(key)
            if name in names:
                refuse("is a dict with two keys that are " + quote(name))
            if names:
                add(",")
            names.add(name)
            path.append(name)
            add_text(name)
            add(":")
            write(item)
            path.pop()
        add("}")

    def is_a(v, module, *names):
        m = modules.get(module)
        return m is not None and isinstance(v, tuple(getattr(m, name) for name in names))

    def write_other(v):
        if is_a(v, "enum", "Enum"):
            return write(v.value)
        if is_a(v, "datetime", "date", "time"):
            return add(quote(v.isoformat()))
        if hasattr(type(v), "__dataclass_fields__"):
            return write_members([(field.name, getattr(v, field.name)) for field in own("dataclasses").fields(v)])
        if hasattr(type(v), "__index__") and not hasattr(type(v), "__len__"):
            return add(int.__repr__(type(v).__index__(v)))
        kind = type(v).__module__ + "." + type(v).__qualname__ if type(v).__module__ != "builtins" else type(v).__qualname__
        refuse("is of type " + kind + ", for which JSON has nothing")

    def write(v):
        if v is None:
            return add("null")
        if v is True or v is False:
            return add("true" if v else "false")
        if isinstance(v, str):
            return add_text(v)
        if isinstance(v, int):
            if int.bit_length(v) > 1024:
                refuse("is an integer beyond 1.8e308, the range of doubles, which many readers of JSON do not take")
            return add(int.__repr__(v))
        if isinstance(v, float):
            number = float.__repr__(v)
            if number in ("nan", "inf", "-inf"):
                refuse("is " + number + ", for which JSON has nothing")
            return add(number)
        if isinstance(v, (bytes, bytearray, memoryview)):
            return add_bytes(v)
        if len(parents) >= MAX_DEPTH:
            refuse("is nested deeper than %d levels" % MAX_DEPTH)
        for parent in parents:
            if parent is v:
                refuse("contains itself")
        parents.append(v)
        if isinstance(v, dict):
            write_members(dict.items(v))
        elif isinstance(v, (list, tuple, set, frozenset, range, type({}.keys()), type({}.values()))):
            write_list(v)
        else:
            write_other(v)
        parents.pop()

    def most(text, n):
        return text if len(text) <= n else text[:n] + "…"

    def describe(e):
        name, message, trace = "unknown", "what was raised can not be read", ""
        try:
            name = most(str(type(e).__name__), 256)
            message = most(str(e), 8192)
            if isinstance(e, SyntaxError) and e.filename == NAME:  # it tells what stands behind the last slash
                message = message.replace("(, line ", "(source.py, line ")
            # From the source's own frames on.
            tb = e.__traceback__
            while tb is not None and tb.tb_frame.f_code.co_filename != NAME:
                tb = tb.tb_next
            sys.path = list(library)  # both import more when they need it
            own("linecache").cache[NAME] = known
            traceback = own("traceback")
            told = traceback.TracebackException(type(e), e, tb)
            left = [told]
            while left:  # also those that led to it, and those that it is a group of
                one = left.pop()
                one.stack[:] = [frame for frame in one.stack if frame.filename != "<runner>"]
                left += [also for also in [one.__cause__, one.__context__] + (getattr(one, "exceptions", None) or []) if also]
            trace = "".join(told.format()).replace('File "' + NAME + '"', 'File "source.py"')
            trace = trace if len(trace) <= 16384 else "…" + trace[-16384:]
        except BaseException:
            pass
        return name, message, trace

    def fail(e, code):
        name, message, trace = describe(e)
        send('{"error":{"name":' + quote(name) + ',"message":' + quote(message) + ',"trace":' + quote(trace) + "}}", trace or name + ": " + message + "\n")
        end(code)

    def leave(e):
        code = e.code
        if code is None or code == 0:
            end(0)
        if not isinstance(code, int):
            try:
                print(code, file=sys.stderr)
            except BaseException:
                pass
            code = 1
        if not -(1 << 63) <= code < 1 << 63:
            code = -1  # as Python takes what fits into no long
        if code & 0xFF == 0:
            end(0)
        fail(e, code & 0xFF)

    def succeed(v):
        try:
            write(v)
            add("}")
            document = "".join(parts)
        except Refusal as e:
            document = '{"invalid":' + quote(str(e)) + "}"
        except Exception as e:
            why = type(e).__name__
            try:
                why += ": " + most(str(e), 1000)
            except Exception:
                pass
            document = '{"invalid":' + quote("value can not be read: " + why) + "}"
        send(document)
        end(0)

    def is_async(body):
        left = list(body)
        while left:
            node = left.pop()
            if isinstance(node, (_ast.Await, _ast.AsyncFor, _ast.AsyncWith)) or isinstance(node, _ast.comprehension) and node.is_async:
                return True
            if isinstance(node, _ast.ClassDef):
                continue
            if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda)):
                left += node.args.defaults + [d for d in node.args.kw_defaults if d] + getattr(node, "decorator_list", [])
                continue
            for field in node._fields:
                child = getattr(node, field, None)
                left += [c for c in (child if isinstance(child, list) else [child]) if isinstance(c, _ast.AST)]
        return False

    def compiled():
        def parse(text, name):
            return compile(text, name, "exec", 0x400, True)  # PyCF_ONLY_AST
        body = parse(source, NAME).body
        whole = parse(("async " if is_async(body) else "") + "def source(input): pass", NAME)
        future = [s for s in body if isinstance(s, _ast.ImportFrom) and s.module == "__future__"]
        whole.body[0].body = [s for s in body if s not in future] or whole.body[0].body
        whole.body[:0] = future
        main = type(sys)("__main__")
        main.__builtins__ = builtins
        modules["__main__"] = main
        exec(compile(whole, NAME, "exec", 0, True), main.__dict__)
        return main.__dict__.pop("source")

    def begin():
        try:
            return compiled()
        except SyntaxError as e:
            if not e.text and e.filename == NAME and e.lineno and 0 < e.lineno <= len(lines):
                e.text = lines[e.lineno - 1]
            raise

    async def awaited(v):
        return await v

    try:
        try:
            value = begin()(given)
            if hasattr(type(value), "__await__"):
                asyncio = own("asyncio")
                loop = asyncio.new_event_loop()
                asyncio.set_event_loop(loop)
                value = loop.run_until_complete(awaited(value))
        finally:
            mask(0, signals)  # SIG_BLOCK: a timer of the source's has nobody to interrupt any more
            settrace(None)
            setprofile(None)
            setrecursionlimit(10000)
        succeed(value)
    except SystemExit as e:
        leave(e)
    except BaseException as e:
        fail(e, 1)


sys.argv[:] = [""]
if hasattr(sys, "orig_argv"):
    sys.orig_argv[:] = sys.orig_argv[:1]
run()
