// Runs in the QuickJS of cmd/jaild/internal/engine, which has none but the language's own
// objects, before the source and in its realm. As in node.js, everything that is used after
// the source has begun is taken hold of here. host is what the engine lends; nothing of it
// is in the source's reach. The engine calls begin once, and next when no job is left: see
// script.go there.
'use strict';
((host) => {
  const { write, className, answer, compile } = host;
  const { apply, getPrototypeOf } = Reflect;
  const { getOwnPropertyDescriptor, defineProperty } = Object;
  const method = (f) => (self, a, b) => apply(f, self, [a, b]);
  const getter = (proto, name) => method(getOwnPropertyDescriptor(proto, name).get);
  const quote = JSON.stringify;
  const parse = JSON.parse;
  const text = String;
  const number = Number;
  const clock = Date.now;
  const TypeErrorOf = TypeError;
  const typedArray = getPrototypeOf(Uint8Array.prototype);
  const typed = getter(typedArray, Symbol.toStringTag);
  const lengthOf = getter(typedArray, 'length');
  const bytesOf = Uint8Array;
  const viewed = {
    buffer: getter(DataView.prototype, 'buffer'),
    offset: getter(DataView.prototype, 'byteOffset'),
    length: getter(DataView.prototype, 'byteLength'),
  };
  const indexOf = method(String.prototype.indexOf);
  const slice = method(String.prototype.slice);
  const then = method(Promise.prototype.then);
  const setOf = method(Map.prototype.set);
  const deleteOf = method(Map.prototype.delete);
  const eachOf = method(Map.prototype.forEach);
  const table = () => new Map();
  const most = (s, n) => (s.length > n ? slice(s, 0, n) + '…' : s);

  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const bytesIn = (v) => {
    if (className(v) === 'DataView') return new bytesOf(viewed.buffer(v), viewed.offset(v), viewed.length(v));
    return typed(v) === undefined ? new bytesOf(v) : v;
  };
  const base64 = (bytes) => {
    const length = lengthOf(bytes);
    let out = '';
    for (let i = 0; i < length; i += 3) {
      const left = length - i;
      const three = (bytes[i] << 16) | ((left > 1 ? bytes[i + 1] : 0) << 8) | (left > 2 ? bytes[i + 2] : 0);
      out += alphabet[three >> 18] + alphabet[(three >> 12) & 63] + (left > 1 ? alphabet[(three >> 6) & 63] : '=') + (left > 2 ? alphabet[three & 63] : '=');
    }
    return out;
  };
  const kindOf = (v) => {
    switch (className(v)) {
      case 'Object': case 'Arguments': return '';
      case 'Date': return 'date';
      case 'Uint8Array': case 'Uint8ClampedArray': case 'ArrayBuffer': case 'SharedArrayBuffer': case 'DataView': return 'bytes';
      case 'Set': return 'set';
      case 'Map': return 'map';
      case 'Promise': return 'a promise, which is to be awaited';
      case 'Error': return 'an error';
      case 'RegExp': return 'a regular expression';
      case 'Number': case 'String': case 'Boolean': case 'Symbol': case 'BigInt': return 'a boxed primitive';
      case 'WeakMap': case 'WeakSet': return 'a weak collection';
      case 'Generator': case 'AsyncGenerator': case 'Map Iterator': case 'Set Iterator': case 'Array Iterator':
      case 'String Iterator': case 'RegExp String Iterator': case 'Iterator Helper': case 'Iterator Wrap':
        return 'an iterator, of which an array can be made';
    }
    return typed(v) === undefined ? '' : 'numbers';
  };

  const stopped = { __proto__: null };
  const stop = (kind, document) => {
    answer(kind, document);
    throw stopped;
  };

  // A trace is about the source alone: the runner's frames are left out, and those of
  // the engine's functions that the runner calls.
  const ownTrace = (stack) => {
    let kept = '', held = '';
    for (let at = 0; at >= 0 && at < stack.length;) {
      let next = indexOf(stack, '\n', at);
      if (next < 0) next = stack.length;
      const line = slice(stack, at, next);
      at = next + 1;
      if (indexOf(line, 'runner.js:', 0) >= 0) break;
      held += line + '\n';
      if (indexOf(line, '(native)', 0) < 0) {
        kept += held;
        held = '';
      }
    }
    return kept;
  };
  const isError = (e) => typeof e === 'object' && e !== null && (className(e) === 'Error' || typeof e.stack === 'string');
  // What is printed: text as it is, everything else as JSON, or how it calls itself.
  const shown = (v) => {
    if (typeof v === 'string') return v;
    if (typeof v === 'object' && v !== null && className(v) !== 'Error') {
      try {
        const json = quote(v);
        if (json !== undefined) return json;
      } catch {
        // It contains itself, perhaps.
      }
    }
    return typeof v === 'symbol' || typeof v === 'object' && v !== null && v.toString === undefined ? 'a ' + typeof v : text(v);
  };
  const tell = thrownTeller({
    isError,
    traceOf: (e) => most(text(e.name), 256) + ': ' + most(text(e.message), 8192) + '\n' + ownTrace(e.stack === undefined ? '' : text(e.stack)),
    shown,
    said: shown,
  });
  const describe = (e) => tell(e).json;
  const printer = (fd) => function () {
    let line = '';
    for (let i = 0; i < arguments.length; i++) line += (i > 0 ? ' ' : '') + shown(arguments[i]);
    write(fd, line + '\n');
  };

  const global = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  const toStdout = printer(1);
  const toStderr = printer(2);
  global('print', toStdout);
  global('console', { log: toStdout, info: toStdout, debug: toStdout, warn: toStderr, error: toStderr });

  // Timers, the earliest first by time and then by number.
  const timers = table();
  let lastTimer = 0;
  const timer = (again) => (f, ms) => {
    if (typeof f !== 'function') throw new TypeErrorOf('a timer needs a function');
    let after = number(ms);
    if (!(after >= 1)) after = 1;
    const id = ++lastTimer;
    setOf(timers, id, { __proto__: null, f, due: clock() + after, again: again ? after : 0 });
    return id;
  };
  const clear = (id) => { deleteOf(timers, id); };
  global('setTimeout', timer(false));
  global('setInterval', timer(true));
  global('clearTimeout', clear);
  global('clearInterval', clear);

  // It would be given the functions of all frames, those of the runner among them.
  defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false });

  // Whether the source ends the function itself: by up to three } too many.
  const closes = (source) => {
    for (let open = '{'; open.length <= 3; open += '{') {
      try {
        compile(open + source);
        return true;
      } catch {
        // By more, or by none.
      }
    }
    return false;
  };
  // What is missing at the end of the source is found missing behind it.
  const withinSource = (e, source) => {
    const lines = source.split('\n');
    const at = /^    at source\.js:(\d+)/.exec(e.stack);
    if (at && at[1] > lines.length) {
      if (e.message === "unexpected token in expression: '}'" || e.message === "Unexpected token ')'" || e.message === "Unexpected token '}'" && !closes(source)) e.message = 'unexpected end of input';
      e.stack = '    at source.js:' + lines.length + ':' + (lines[lines.length - 1].length + 1) + '\n';
    }
    return e;
  };

  const unhandled = table();
  return {
    __proto__: null,
    rejected(promise, reason, handled) {
      if (handled) deleteOf(unhandled, promise);
      else setOf(unhandled, promise, { __proto__: null, reason });
    },
    begin(source, input, limit) {
      const writeValue = valueWriter({ kindOf, bytesIn, base64, limit, over: (json) => stop('over', json) });
      const succeed = (v) => {
        const { json, why } = writeValue(v);
        if (why === '') answer('value', json);
        else answer('invalid', quote(why));
      };
      const fail = (e) => answer('error', describe(e));
      let main;
      try {
        main = compile(source);
      } catch (e) {
        fail(withinSource(e, source));
        return;
      }
      // As in node.js: what is called by a promise has no frame of the runner's below it.
      const begun = Promise.resolve(parse(input));
      defineProperty(begun, 'constructor', { value: {
        [Symbol.species]: function (executor) {
          executor((returned) => { then(returned, succeed, fail); }, () => {});
        },
      } });
      then(begun, main);
    },
    // next runs the timers that are due, and says how many milliseconds there are to the
    // next one; -1 if there is none, and -2 after an answer.
    next() {
      let failed = false;
      eachOf(unhandled, (of) => {
        if (!failed) answer('error', describe(of.reason));
        failed = true;
      });
      if (failed) return -2;
      const now = clock();
      let first;
      eachOf(timers, (t, id) => {
        t.id = id;
        if (first === undefined || t.due < first.due) first = t;
      });
      if (first === undefined) return -1;
      if (first.due > now) return first.due - now;
      if (first.again > 0) first.due = now + first.again;
      else deleteOf(timers, first.id);
      try {
        apply(first.f, undefined, []);
      } catch (e) {
        answer('error', describe(e));
        return -2;
      }
      return 0;
    },
  };
})
