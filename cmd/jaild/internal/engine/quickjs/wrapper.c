/*
 * What the engine needs of QuickJS, as functions of a WebAssembly module: quickjs.go
 * calls them. There is one context, in it the language and nothing of an operating
 * system.
 *
 * A value crosses as the 64 bits that it is here; one of them stands for what was thrown,
 * see exception. Whoever gets a value from a function owns it, and gives it back with drop,
 * or to set; the other functions only look at what they are given.
 */
#include <stdlib.h>
#include "quickjs.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("engine"), import_name(#name)))

_Static_assert(sizeof(JSValue) == 8, "values are to be a number for the engine");

/* What the engine lends: the function of this number, and what it does with rejections. */
IMPORT(called) JSValue engine_called(int number, int count, JSValueConst *args);
IMPORT(rejected) void engine_rejected(JSValueConst promise, JSValueConst reason, JSValueConst handled);

static JSContext *ctx;

static JSValue call_engine(JSContext *c, JSValueConst this, int count, JSValueConst *args, int number)
{
	(void)c, (void)this;
	return engine_called(number, count, args);
}

static void tell_rejection(JSContext *c, JSValueConst promise, JSValueConst reason, bool handled, void *opaque)
{
	(void)opaque;
	engine_rejected(promise, reason, JS_NewBool(c, handled));
}

/* start is the first call, and says whether there is memory for it. max_stack is in bytes. */
EXPORT(start) bool start(size_t max_stack)
{
	JSRuntime *rt = JS_NewRuntime();
	if (!rt || !(ctx = JS_NewContext(rt)))
		return false;
	JS_SetMaxStackSize(rt, max_stack);
	JS_SetHostPromiseRejectionTracker(rt, tell_rejection, NULL);
	return true;
}

EXPORT(allocate) void *allocate(size_t size) { return malloc(size); }
EXPORT(release) void release(void *at) { free(at); }
EXPORT(drop) void drop(JSValue v) { JS_FreeValue(ctx, v); }

EXPORT(undefined) JSValue undefined(void) { return JS_UNDEFINED; }
EXPORT(exception) JSValue exception(void) { return JS_EXCEPTION; }

/* thrown is what the last exception is, which is none any more. */
EXPORT(thrown) JSValue thrown(void) { return JS_GetException(ctx); }

/* evaluate runs a script, or only compiles it; text has a NUL behind its length. */
EXPORT(evaluate) JSValue evaluate(const char *text, size_t length, const char *file, int line, bool only_compile)
{
	JSEvalOptions options = {
		.version = JS_EVAL_OPTIONS_VERSION,
		.eval_flags = only_compile ? JS_EVAL_FLAG_COMPILE_ONLY : JS_EVAL_TYPE_GLOBAL,
		.filename = file,
		.line_num = line,
	};
	return JS_Eval2(ctx, text, length, &options);
}

EXPORT(apply) JSValue apply(JSValueConst f, int count, JSValueConst *args)
{
	return JS_Call(ctx, f, JS_UNDEFINED, count, args);
}

/* run_job runs one of what promises wait for: 1 it did, 0 there is none, -1 an exception. */
EXPORT(run_job) int run_job(void)
{
	JSContext *of;
	return JS_ExecutePendingJob(JS_GetRuntime(ctx), &of);
}

/* lend makes a function that is the engine's of this number. */
EXPORT(lend) JSValue lend(int number, const char *name)
{
	return JS_NewCFunctionMagic(ctx, call_engine, name, 0, JS_CFUNC_generic_magic, number);
}

EXPORT(object) JSValue object(void) { return JS_NewObject(ctx); }
EXPORT(get) JSValue get(JSValueConst of, const char *name) { return JS_GetPropertyStr(ctx, of, name); }
EXPORT(set) int set(JSValueConst of, const char *name, JSValue v) { return JS_SetPropertyStr(ctx, of, name, v); }

EXPORT(string) JSValue string(const char *text, size_t length) { return JS_NewStringLen(ctx, text, length); }

/*
 * text is a value as text, and where it is, or 0; above 32 bits, how long. It is UTF-8, but
 * for halves of pairs. free_text gives it back.
 */
EXPORT(text) uint64_t text(JSValueConst v)
{
	size_t length = 0;
	const char *at = JS_ToCStringLen(ctx, &length, v);
	return (uint64_t)length << 32 | (uintptr_t)at;
}

EXPORT(free_text) void free_text(const char *text) { JS_FreeCString(ctx, text); }

/* number is that of a value, or 0 where it is none. */
EXPORT(number) double number(JSValueConst v)
{
	double n = 0;
	if (JS_IsNumber(v))
		JS_ToFloat64(ctx, &n, v);
	return n;
}

/* class_name is what kind of object it is, and of no object undefined. */
EXPORT(class_name) JSValue class_name(JSValueConst v)
{
	JSClassID class = JS_GetClassID(v);
	if (class == JS_INVALID_CLASS_ID)
		return JS_UNDEFINED;
	JSAtom name = JS_GetClassName(JS_GetRuntime(ctx), class);
	JSValue result = JS_AtomToString(ctx, name);
	JS_FreeAtom(ctx, name);
	return result;
}
