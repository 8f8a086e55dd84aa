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
  const listenerCount = process.listenerCount;
  const AsyncFunction = (async () => {}).constructor;

  const { token, limit, source, input } = JSON.parse(fs.readFileSync(0, 'utf8'));

  // The descriptor leaves its number, and is closed in the programs that the
  // source starts: what they write there is no value.
  let fd = 3;
  try {
    fd = fs.openSync('/proc/self/fd/3', fs.constants.O_WRONLY);
    fs.closeSync(3);
  } catch {
    // It stays where it is.
  }

  let answered = false;
  const send = (document) => {
    if (answered) return;
    answered = true;
    const bytes = apply(bufferFrom, Buffer, [document, 'utf8']);
    for (let at = 0; at < lengthOf(bytes);) at += writeSync(fd, bytes, at, lengthOf(bytes) - at);
  };
  const end = (code) => apply(exit, process, [code]);
  const begin = '{"token":' + quote(token) + ',';

  const isBytes = (v) => types.isUint8Array(v) || types.isUint8ClampedArray(v) || types.isAnyArrayBuffer(v) || types.isDataView(v);
  const bytesIn = (v) => {
    if (types.isDataView(v)) return new bytesOf(viewed.buffer(v), viewed.offset(v), viewed.length(v));
    return types.isAnyArrayBuffer(v) ? new bytesOf(v) : v;
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
    if (types.isWeakMap(v) || types.isWeakSet(v)) return 'a weak collection';
    if (types.isGeneratorObject(v) || types.isMapIterator(v) || types.isSetIterator(v)) return 'an iterator, of which an array can be made';
    if (types.isExternal(v) || types.isModuleNamespaceObject(v)) return 'no plain object';
    return '';
  };

  const most = (s, n) => (s.length > n ? slice(s, 0, n) + '…' : s);

  // A trace ends where the runner's own frames begin, and what of Node.js lies
  // between those and the source's goes with them.
  const ownTrace = (stack) => {
    let kept = '', held = '';
    for (let at = 0; at >= 0 && at < stack.length;) {
      let next = indexOf(stack, '\n', at);
      if (next < 0) next = stack.length;
      const line = slice(stack, at, next);
      at = next + 1;
      if (slice(line, 0, 7) !== '    at ') {
        kept += held + line + '\n';
        held = '';
        continue;
      }
      if (indexOf(line, '[eval]', 0) >= 0) break;
      held += line + '\n';
      if (indexOf(line, 'node:', 0) < 0) {
        kept += held;
        held = '';
      }
    }
    return most(kept, 16384);
  };
  const describe = (e) => {
    const about = { __proto__: null, name: e === null ? 'null' : typeof e, message: '', trace: '' };
    try {
      if (typeof e === 'object' && e !== null && (types.isNativeError(e) || typeof e.stack === 'string')) {
        about.name = most(text(e.name), 256);
        about.message = most(text(e.message), 8192);
        about.trace = ownTrace(text(e.stack));
      } else {
        about.message = most(typeof e === 'object' || typeof e === 'function' ? inspect(e) : text(e), 8192);
      }
    } catch {
      about.message = about.message || 'what was thrown can not be read';
    }
    return '"error":{"name":' + quote(about.name) + ',"message":' + quote(about.message) + ',"trace":' + quote(about.trace) + '}}';
  };
  const fail = (e, code) => {
    send(begin + describe(e));
    end(code);
  };
  const writeValue = valueWriter({
    kindOf,
    base64: (v) => {
      const bytes = bytesIn(v);
      return base64(bytes, 0, lengthOf(bytes));
    },
    limit,
    over(json) {
      send(begin + '"value":' + json);
      end(1);
    },
  });
  const succeed = (v) => {
    const { json, why } = writeValue(v);
    send(begin + (why === '' ? '"value":' + json : '"invalid":' + quote(why)) + '}');
    end(0);
  };

  let main;
  try {
    const script = new vm.Script('(async function (input) {\n' + source + '\n})', {
      filename: 'source.js',
      lineOffset: -1,
      importModuleDynamically: vm.constants && vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER, // none before 20.12
    });
    new AsyncFunction('input', source); // a body by itself, not one that ends the function
    main = script.runInThisContext();
  } catch (e) {
    fail(e, 1);
  }

  process.on('uncaughtExceptionMonitor', (e) => {
    if (apply(listenerCount, process, ['uncaughtException']) === 0) send(begin + describe(e)); // Node.js itself does the rest
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

  const ours = process.execArgv.indexOf('-e');
  if (ours >= 0) process.execArgv.splice(ours, 2); // for the programs that the source forks
  delete process._eval;
  const global = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  global('require', createRequire(process.cwd() + '/source.js'));
  delete globalThis.module;
  delete globalThis.exports;
  delete globalThis.__filename;
  delete globalThis.__dirname;

  then(main(input), succeed, (e) => fail(e, 1));
})();
