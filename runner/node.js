// Runs in the box, before the source and in its process. Everything that is used
// after the source has begun is taken hold of here: the source may replace what
// hangs on globals, prototypes and modules. Array and iterator methods, spreading
// and for-of are not used for the same reason.
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
  const { keys: keysOf, create, getOwnPropertyDescriptor, defineProperty } = Object;
  const { isArray } = Array;
  const method = (f) => (self, a, b) => apply(f, self, [a, b]);
  const getter = (proto, name) => method(getOwnPropertyDescriptor(proto, name).get);
  const quote = JSON.stringify;
  const text = String;
  const bufferFrom = Buffer.from;
  const bytesOf = Uint8Array;
  const { writeSync } = fs;
  const ObjectPrototype = Object.prototype;
  const typedArray = getPrototypeOf(Uint8Array.prototype);
  const viewed = {
    buffer: getter(DataView.prototype, 'buffer'),
    offset: getter(DataView.prototype, 'byteOffset'),
    length: getter(DataView.prototype, 'byteLength'),
  };
  const lengthOf = getter(typedArray, 'length');
  const isoString = method(Date.prototype.toISOString);
  const timeOf = method(Date.prototype.getTime);
  const decimal = method(BigInt.prototype.toString);
  const base64 = method(Buffer.prototype.base64Slice);
  const eachOfSet = method(Set.prototype.forEach);
  const eachOfMap = method(Map.prototype.forEach);
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

  // What has been written of the value, and where in it the writing is.
  let out = begin + '"value":';
  const maxDepth = 500;
  const path = create(null);
  const parents = create(null);
  const refusal = { why: '' };
  const refuse = (depth, why) => {
    let at = 'value';
    for (let i = 0; i < depth; i++) at += typeof path[i] === 'number' ? '[' + path[i] + ']' : '[' + quote(path[i]) + ']';
    refusal.why = (at.length > 1000 ? slice(at, 0, 1000) + '…' : at) + ' ' + why;
    throw refusal;
  };
  const add = (piece) => {
    out += piece;
    if (out.length > limit) { // more than is taken, in whatever encoding
      send(out);
      end(1);
    }
  };

  const bytesIn = (v) => {
    if (types.isDataView(v)) return new bytesOf(viewed.buffer(v), viewed.offset(v), viewed.length(v));
    return types.isAnyArrayBuffer(v) ? new bytesOf(v) : v;
  };
  const isBytes = (v) => types.isUint8Array(v) || types.isUint8ClampedArray(v) || types.isAnyArrayBuffer(v) || types.isDataView(v);
  const kindOf = (v) => {
    if (types.isPromise(v)) return 'a promise, which is to be awaited';
    if (types.isNativeError(v)) return 'an error';
    if (types.isRegExp(v)) return 'a regular expression';
    if (types.isBoxedPrimitive(v)) return 'a boxed primitive';
    if (types.isWeakMap(v) || types.isWeakSet(v)) return 'a weak collection';
    if (types.isGeneratorObject(v) || types.isMapIterator(v) || types.isSetIterator(v)) return 'an iterator, of which an array can be made';
    if (types.isExternal(v) || types.isModuleNamespaceObject(v)) return 'no plain object';
    return '';
  };

  const writeMember = (name, v, depth, first) => {
    path[depth] = name;
    add((first ? '' : ',') + quote(name) + ':');
    write(v, depth + 1);
  };
  const writeArray = (v, length, depth) => {
    add('[');
    for (let i = 0; i < length; i++) {
      if (i > 0) add(',');
      path[depth] = i;
      write(v[i], depth + 1);
    }
    add(']');
  };
  const writeSet = (v, depth) => {
    let i = 0;
    add('[');
    eachOfSet(v, (item) => {
      if (i > 0) add(',');
      path[depth] = i++;
      write(item, depth + 1);
    });
    add(']');
  };
  const writeMap = (v, depth) => {
    const names = create(null);
    let first = true;
    add('{');
    eachOfMap(v, (item, key) => {
      if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'bigint') refuse(depth, 'is a Map with a key that is neither a string nor a number');
      const name = text(key);
      if (names[name]) refuse(depth, 'is a Map with two keys that are ' + quote(name));
      names[name] = true;
      writeMember(name, item, depth, first);
      first = false;
    });
    add('}');
  };
  const writeObject = (v, depth) => {
    const convert = v.toJSON;
    if (typeof convert === 'function' && convert !== ObjectPrototype.toJSON) {
      write(apply(convert, v, []), depth + 1, 'converted');
      return;
    }
    const names = keysOf(v);
    let first = true;
    add('{');
    for (let i = 0; i < names.length; i++) {
      const item = v[names[i]];
      if (item === undefined) continue;
      writeMember(names[i], item, depth, first);
      first = false;
    }
    add('}');
  };
  const write = (v, depth, converted) => {
    if (converted) path[depth - 1] = 'toJSON()';
    switch (typeof v) {
      case 'string': return add(quote(v));
      case 'boolean': return add(v ? 'true' : 'false');
      case 'undefined': return add('null');
      case 'bigint': return add(decimal(v));
      case 'number':
        if (v - v !== 0) refuse(depth, 'is ' + v + ', for which JSON has nothing');
        return add('' + v);
      case 'function':
      case 'symbol': return refuse(depth, 'is a ' + typeof v + ', for which JSON has nothing');
    }
    if (v === null) return add('null');
    if (depth >= maxDepth) refuse(depth, 'is nested deeper than ' + maxDepth + ' levels');
    for (let i = 0; i < depth; i++) if (parents[i] === v) refuse(depth, 'contains itself');
    parents[depth] = v;
    if (types.isDate(v)) {
      if (timeOf(v) !== timeOf(v)) refuse(depth, 'is an invalid date');
      return add(quote(isoString(v)));
    }
    if (isBytes(v)) {
      const bytes = bytesIn(v);
      return add('"' + base64(bytes, 0, lengthOf(bytes)) + '"');
    }
    if (types.isTypedArray(v)) return writeArray(v, lengthOf(v), depth);
    if (isArray(v)) return writeArray(v, v.length, depth);
    if (types.isSet(v)) return writeSet(v, depth);
    if (types.isMap(v)) return writeMap(v, depth);
    const kind = kindOf(v);
    if (kind !== '') refuse(depth, 'is ' + kind);
    writeObject(v, depth);
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
  const succeed = (v) => {
    try {
      write(v, 0);
      add('}');
    } catch (e) {
      let why = refusal.why;
      if (e !== refusal) {
        why = 'value can not be read';
        try {
          why += ': ' + most(text(e), 1000);
        } catch {
          // Then without.
        }
      }
      out = begin + '"invalid":' + quote(why) + '}';
    }
    send(out);
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
