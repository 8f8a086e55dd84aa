// The value of a source as JSON, for the runners of both engines of JavaScript, which
// have this at the head of their function. What an object is says kindOf, by what the
// source can't change: date, bytes, numbers, set, map, '' for a plain one, or why it is
// no value. What is used later is taken hold of here, before the source begins.
const valueWriter = ({ kindOf, bytesIn, base64, limit, over }) => {
  const { apply, getPrototypeOf } = Reflect;
  const { keys: keysOf, create, getOwnPropertyDescriptor } = Object;
  const { isArray } = Array;
  const method = (f) => (self, a, b) => apply(f, self, [a, b]);
  const quote = JSON.stringify;
  const text = String;
  const ObjectPrototype = Object.prototype;
  const lengthOf = method(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'length').get);
  const isoString = method(Date.prototype.toISOString);
  const timeOf = method(Date.prototype.getTime);
  const decimal = method(BigInt.prototype.toString);
  const eachOfSet = method(Set.prototype.forEach);
  const eachOfMap = method(Map.prototype.forEach);
  const slice = method(String.prototype.slice);
  const repeat = method(String.prototype.repeat);

  // What has been written, and where in the value the writing is.
  let out = '';
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
    if (out.length > limit) over(out); // more than is taken, in whatever encoding
  };
  // What is too large is not written first: it may be more than a string can hold, or
  // than there is memory for.
  const addText = (s) => {
    const room = limit - out.length;
    if (s.length > room) over(out + slice(s, 0, room + 1));
    else add(quote(s));
  };
  const addBytes = (v) => {
    const room = limit - out.length;
    if (lengthOf(v) > room) over(out + repeat('A', room + 1));
    else add('"' + base64(v) + '"');
  };

  const writeMember = (name, v, depth, first) => {
    path[depth] = name;
    if (!first) add(',');
    addText(name);
    add(':');
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
      case 'string': return addText(v);
      case 'boolean': return add(v ? 'true' : 'false');
      case 'undefined': return add('null');
      case 'bigint': {
        const digits = decimal(v);
        if (digits.length > 310) refuse(depth, 'is an integer beyond 1.8e308, the range of doubles, which many readers of JSON do not take');
        return add(digits);
      }
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
    if (isArray(v)) return writeArray(v, v.length, depth);
    const kind = kindOf(v);
    switch (kind) {
      case '': return writeObject(v, depth);
      case 'bytes': return addBytes(bytesIn(v));
      case 'numbers': return writeArray(v, lengthOf(v), depth);
      case 'set': return writeSet(v, depth);
      case 'map': return writeMap(v, depth);
      case 'date':
        if (timeOf(v) !== timeOf(v)) refuse(depth, 'is an invalid date');
        return add(quote(isoString(v)));
    }
    refuse(depth, 'is ' + kind);
  };

  // The value's JSON, or why it has none.
  return (v) => {
    try {
      write(v, 0);
      return { __proto__: null, json: out, why: '' };
    } catch (e) {
      let why = refusal.why;
      if (e !== refusal) {
        why = 'value can not be read';
        try {
          const said = text(e);
          why += ': ' + (said.length > 1000 ? slice(said, 0, 1000) + '…' : said);
        } catch {
          // Then without.
        }
      }
      return { __proto__: null, json: '', why };
    }
  };
};
