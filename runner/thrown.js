// What a source has thrown, for the runners of both engines of JavaScript, which have this
// at the head of their function. traceOf is an error's own trace, without the runner's
// frames; shown is anything else in a line or two, said is that of what was thrown itself.
// Errors are read with care: what hangs on them may throw.
const thrownTeller = ({ isError, traceOf, shown, said }) => {
  const { apply } = Reflect;
  const { getOwnPropertyDescriptor } = Object;
  const { isArray } = Array;
  const { slice: sliceOf } = String.prototype;
  const quote = JSON.stringify;
  const text = String;
  const most = (s, n) => (s.length > n ? apply(sliceOf, s, [0, n]) + '…' : s);
  // What led to an error, and what an AggregateError is of, follow its own trace.
  const fullTrace = (e, left) => {
    let trace = traceOf(e);
    if (left === 0) return trace;
    const also = (heading, inner) => {
      let told = 'what can not be read\n';
      try {
        told = isError(inner) ? fullTrace(inner, left - 1) : most(shown(inner), 1024) + '\n';
      } catch {
        // It throws where it is read.
      }
      trace += heading + told;
    };
    const cause = getOwnPropertyDescriptor(e, 'cause');
    if (cause !== undefined) also('caused by: ', cause.value);
    const errors = getOwnPropertyDescriptor(e, 'errors');
    if (errors !== undefined && isArray(errors.value)) {
      for (let i = 0; i < errors.value.length && i < 8; i++) also('of these: ', errors.value[i]);
    }
    return most(trace, 16384);
  };
  return (e) => {
    const about = { __proto__: null, name: e === null ? 'null' : typeof e, message: '', trace: '' };
    try {
      if (isError(e)) {
        about.name = most(text(e.name), 256);
        about.message = most(text(e.message), 8192);
        about.trace = fullTrace(e, 4);
      } else {
        about.message = most(said(e), 8192);
      }
    } catch {
      about.message = about.message || 'what was thrown can not be read';
    }
    about.json = '{"name":' + quote(about.name) + ',"message":' + quote(about.message) + ',"trace":' + quote(about.trace) + '}';
    return about;
  };
};
