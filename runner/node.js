// Runs in the box, before the source and in its process. Everything that is used
// after the source has begun is taken hold of here: the source may replace what
// hangs on globals, prototypes and modules. Array and iterator methods, spreading
// and for-of are not used for the same reason. value.js is put into the function.
'use strict';
(() => {
  const fs = require('fs');
  const vm = require('vm');
  const { process, Buffer } = globalThis;
  const util = require('util');
  const { inspect } = util;
  const types = { __proto__: null, ...util.types };
  const { createRequire } = require('module');
  const { apply, getPrototypeOf } = Reflect;
  const { getOwnPropertyDescriptor, defineProperty } = Object;
  const method = (f) => (self, a, b) => apply(f, self, [a, b]);
  const getter = (proto, name) => method(getOwnPropertyDescriptor(proto, name).get);
  const quote = JSON.stringify;
  const text = String;
  const bufferFrom = Buffer.from;
  const bytesOf = Uint8Array;
  const { writeSync } = fs;
  const typedArray = getPrototypeOf(Uint8Array.prototype);
  const viewed = {
    buffer: getter(DataView.prototype, 'buffer'),
    offset: getter(DataView.prototype, 'byteOffset'),
    length: getter(DataView.prototype, 'byteLength'),
  };
  const lengthOf = getter(typedArray, 'length');
  const base64 = method(Buffer.prototype.base64Slice);
  const indexOf = method(String.prototype.indexOf);
  const slice = method(String.prototype.slice);
  const then = method(Promise.prototype.then);
  const exit = process.reallyExit;
  const { listenerCount, hasUncaughtExceptionCaptureCallback: isCaptured } = process;
  const AsyncFunction = (async () => {}).constructor;

  const noDescriptor = 'jail: the source has closed the descriptor of its value, which it had not opened\n';

  const { token, limit, source, input } = JSON.parse(fs.readFileSync(0, 'utf8'));

  // Node.js itself has seen to it that the programs which the source starts do not
  // get the descriptor, unless it is handed on by its number.
  const fd = 3;
  const { fstatSync } = fs;
  const opened = fstatSync(fd);

  // No other process of the box is to read or write the memory of this one, with the
  // token and what answers in it: see hide.c. Where the library can't be loaded
  // (a Node.js without dlopen, no room in /tmp) it goes on without, as documented. It is
  // a file without a name (O_TMPFILE, open(2)): the folder may be one of several boxes.
  let library;
  try {
    library = fs.openSync(process.env.TMPDIR || '/tmp', 0o20000000 | fs.constants.O_DIRECTORY | fs.constants.O_RDWR, 0o600);
    fs.writeSync(library, Buffer.from('HIDE', 'base64'));
    process.dlopen({ exports: {} }, '/proc/self/fd/' + library);
  } catch {
    // It has done what it is for, and is no addon of Node.js.
  }
  if (library !== undefined) fs.closeSync(library);

  // By this signal, which any process of the box can send, Node.js begins to listen on
  // the loopback for a debugger, who could have it answer anything.
  process.on('SIGUSR1', () => {});

  let answered = false;
  const encoded = (s) => apply(bufferFrom, Buffer, [s, 'utf8']);
  const write = (bytes) => {
    for (let at = 0; at < lengthOf(bytes);) at += writeSync(fd, bytes, at, lengthOf(bytes) - at);
  };
  // What has been closed by the source may be another file by now. told is for people then,
  // since the record gets nothing.
  const send = (document, told) => {
    if (answered) return;
    answered = true;
    const bytes = encoded(document);
    try {
      if (fstatSync(fd).ino !== opened.ino) throw noDescriptor;
      write(encoded(token + ' ' + lengthOf(bytes) + '\n'));
      write(bytes);
    } catch {
      try {
        writeSync(2, told || noDescriptor);
      } catch {
        // That one is closed as well.
      }
    }
  };
  const end = (code) => apply(exit, process, [code]);

  const isBytes = (v) => types.isUint8Array(v) || types.isUint8ClampedArray(v) || types.isAnyArrayBuffer(v) || types.isDataView(v);
  const bytesIn = (v) => {
    if (types.isDataView(v)) return new bytesOf(viewed.buffer(v), viewed.offset(v), viewed.length(v));
    return types.isAnyArrayBuffer(v) ? new bytesOf(v) : v;
  };
  // What every iterator of the language's own inherits from, generators among them.
  const iterator = getPrototypeOf(getPrototypeOf([].keys()));
  const asyncIterator = getPrototypeOf(getPrototypeOf(getPrototypeOf((async function* () {})())));
  const weakReference = WeakRef.prototype;
  const inherits = (v, proto) => {
    for (let p = getPrototypeOf(v); p !== null; p = getPrototypeOf(p)) if (p === proto) return true;
    return false;
  };
  const kindOf = (v) => {
    if (types.isDate(v)) return 'date';
    if (isBytes(v)) return 'bytes';
    if (types.isTypedArray(v)) return 'numbers';
    if (types.isSet(v)) return 'set';
    if (types.isMap(v)) return 'map';
    if (types.isPromise(v)) return 'a promise, which is to be awaited';
    if (types.isNativeError(v)) return 'an error';
    if (types.isRegExp(v)) return 'a regular expression';
    if (types.isBoxedPrimitive(v)) return 'a boxed primitive';
    if (types.isWeakMap(v) || types.isWeakSet(v) || inherits(v, weakReference)) return 'a weak collection';
    if (inherits(v, iterator) || inherits(v, asyncIterator)) return 'an iterator, of which an array can be made';
    if (types.isExternal(v) || types.isModuleNamespaceObject(v)) return 'no plain object';
    return '';
  };

  const most = (s, n) => (s.length > n ? slice(s, 0, n) + '…' : s);

  // A trace is about the source: of each run of frames, what of Node.js lies below the
  // source's is left out, and so are the runner's wherever they stand. The errors within
  // an object that is shown have frames as well, further in and with what is behind them.
  const afterFrame = (line) => {
    let end = line.length;
    while (end > 0 && indexOf(' ,[]{}', line[end - 1], 0) >= 0) end--;
    return slice(line, end);
  };
  const isFrame = (line) => {
    let at = 0;
    while (line[at] === ' ') at++;
    return at >= 4 && slice(line, at, at + 3) === 'at ';
  };
  // Where code was handed to eval, V8 counts the line of the runner's in front of the source.
  const evalLine = (line) => {
    const name = '(source.js:';
    const from = indexOf(line, name, 0) + name.length;
    if (from < name.length || indexOf(line, '(eval at ', 0) < 0) return line;
    let end = from;
    while (line[end] >= '0' && line[end] <= '9') end++;
    return slice(line, 0, from) + (slice(line, from, end) - 1) + slice(line, end);
  };
  const ownTrace = (stack) => {
    let kept = '', held = '', last = ''; // last: the frame before, if it is not kept
    const endRun = () => {
      if (last !== '') kept = slice(kept, 0, -1) + afterFrame(last) + '\n';
      held = last = '';
    };
    for (let at = 0; at >= 0 && at < stack.length;) {
      let next = indexOf(stack, '\n', at);
      if (next < 0) next = stack.length;
      const line = slice(stack, at, next);
      at = next + 1;
      if (!isFrame(line)) {
        endRun();
        kept += line + '\n';
        continue;
      }
      last = line;
      if (indexOf(line, '[eval]', 0) >= 0) continue;
      held += evalLine(line) + '\n';
      if (indexOf(line, 'node:', 0) < 0) {
        kept += held;
        held = last = '';
      }
    }
    endRun();
    return most(kept, 16384);
  };
  const shown = (v) => slice(ownTrace(inspect(v)), 0, -1);
  const describe = thrownTeller({
    isError: (e) => typeof e === 'object' && e !== null && (types.isNativeError(e) || typeof e.stack === 'string'),
    traceOf: (e) => ownTrace(e.stack === undefined ? text(e.name) + ': ' + text(e.message) : text(e.stack)),
    shown,
    said: (e) => (typeof e === 'object' || typeof e === 'function' ? shown(e) : text(e)),
  });
  const sendError = (e) => {
    const { name, message, trace, json } = describe(e);
    send('{"error":' + json + '}', trace || name + ': ' + message + '\n');
  };
  const fail = (e, code) => {
    sendError(e);
    end(code);
  };
  const writeValue = valueWriter({
    kindOf,
    bytesIn,
    base64: (bytes) => base64(bytes, 0, lengthOf(bytes)),
    limit,
    over(json) {
      send('{"value":' + json);
      end(1);
    },
  });
  const succeed = (v) => {
    const { json, why } = writeValue(v);
    send((why === '' ? '{"value":' + json : '{"invalid":' + quote(why)) + '}');
    end(0);
  };

  const scriptOf = (head, tail) => new vm.Script(head + '\n' + source + '\n' + tail, {
    filename: 'source.js',
    lineOffset: -1,
    importModuleDynamically: vm.constants && vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER, // none before 20.12
  });
  // A body by itself, and not one that ends the function: where it does, a method that it
  // would be of has what is wrong with it, which the constructor does not tell.
  const checkBody = () => {
    try {
      new AsyncFunction('input', source);
    } catch (e) {
      scriptOf('(class { async source(input) {', '} })');
      throw new SyntaxError('the source ends the function whose body it is');
    }
  };
  // Whether the source ends the function itself, at its own end: by one } too many.
  const closes = () => {
    try {
      scriptOf('(async function (input) {', ')');
      return true;
    } catch {
      return false;
    }
  };
  let main;
  try {
    const script = scriptOf('(async function (input) {', '})');
    checkBody();
    main = script.runInThisContext();
  } catch (e) {
    if (!e.stack.startsWith('source.js:')) e.stack = e.name + ': ' + e.message + '\n'; // not of a place in it
    // What is missing at the end of the source is found missing behind it.
    const lines = source.split('\n');
    const behind = 'source.js:' + (lines.length + 1) + '\n';
    if ((e.message === "Unexpected token '}'" && !closes() || e.message === "Unexpected token ')'") && e.stack.startsWith(behind)) {
      e.message = 'Unexpected end of input';
      e.stack = 'source.js:' + lines.length + '\n' + lines[lines.length - 1] + '\n\n' + e.name + ': ' + e.message + '\n';
    } else if (e.stack.startsWith(behind)) {
      e.stack = 'source.js:' + lines.length + '\n' + lines[lines.length - 1] + e.stack.slice(e.stack.indexOf('\n\n'));
    }
    fail(e, 1);
  }

  // Node.js itself does the rest, and asks in this order who handles an error: a callback,
  // which is also what domains have, and listeners.
  process.on('uncaughtExceptionMonitor', (e) => {
    if (!apply(isCaptured, process, []) && apply(listenerCount, process, ['uncaughtException']) === 0) sendError(e);
  });
  process.on('beforeExit', () => fail({
    __proto__: null, name: 'UnsettledPromise', stack: '',
    message: 'nothing is left to run, and what the source awaits has not settled',
  }, 13));

  // What is printed is written at once. Else Node.js keeps what a full pipe does
  // not take, and loses it when the process ends.
  const printAtOnce = (name) => {
    const { get } = getOwnPropertyDescriptor(process, name);
    let stream;
    defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get() {
        if (stream === undefined) {
          stream = apply(get, process, []);
          if (stream._handle && stream._handle.setBlocking) stream._handle.setBlocking(true);
        }
        return stream;
      },
    });
  };
  printAtOnce('stdout');
  printAtOnce('stderr');

  // import() of the source is what the runner asked for; that it is experimental in
  // some versions is nothing that the source did.
  const { emitWarning } = process;
  process.emitWarning = function (warning, type) {
    if (type === 'ExperimentalWarning' && indexOf(text(warning), 'vm.USE_MAIN_CONTEXT_DEFAULT_LOADER', 0) === 0) return;
    apply(emitWarning, process, arguments);
  };

  const ours = process.execArgv.indexOf('-e');
  if (ours >= 0) process.execArgv.splice(ours, 2); // for the programs that the source forks
  delete process._eval;
  const global = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  global('require', createRequire(process.cwd() + '/source.js'));

  // The source is called by the language, as what a promise of the input is followed by,
  // and not from a frame of the runner's: no stack that it prints has one. What it returns
  // is handed to us and not to a promise, whose then the source could have replaced by then.
  const call = (f) => {
    const begun = Promise.resolve(input);
    defineProperty(begun, 'constructor', { value: {
      [Symbol.species]: function (executor) {
        executor((returned) => then(returned, succeed, (e) => fail(e, 1)), () => {});
      },
    } });
    then(begun, f);
  };

  // In a turn of its own: Node.js puts back what its -e has changed of the globals
  // when the runner has returned, which the source may have frozen by then.
  process.nextTick(() => {
    delete globalThis.module;
    delete globalThis.exports;
    delete globalThis.__filename;
    delete globalThis.__dirname;
    call(main);
  });
})();
