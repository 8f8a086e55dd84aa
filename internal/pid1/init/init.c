/*
 * PID 1 of a box.
 *
 * It receives the two parts of the plan that the supervisor compiled, carries out its
 * steps in order, starts the program and reaps. It decides nothing: a step is a system
 * call with its arguments, all addresses in it are final, and the first one
 * that does not return what the plan says ends the box. What it reports is
 * (list, step, result); the supervisor knows what that step was.
 *
 * It is a fresh image with an empty environment, so nothing of the caller's
 * memory is in it; it has no C library, so nothing runs in it that is not on
 * this page. The layout below is stated a second time in wire.go, and a test
 * compares the two.
 */
#include "sys.h"

#define CHANNEL   3 /* unix socket: request, plan, and the descriptors they need */
#define LIFELINE  5 /* pipe: ends with the supervisor; does not block */
#define LAST_FD   8 /* the highest number that has a meaning */
#define PLAN_BASE 0x10000000UL
#define REST_BASE 0x10010000UL
#define FIRST_ROOM 0x10000UL
#define PLAN_MAGIC 0x4c49414aU /* "JAIL" */

struct step {
	u32 nr;       /* system-call number, or one of OP_ below */
	u32 indirect; /* bit i: args[i] is the address of an s32 that holds the value */
	s32 want;     /* the result that is success; or WANT_ANY: any but an error, or WANT_ALL: any */
	u32 reserved;
	u64 args[6];
	u64 out;      /* where the result is stored as s32; 0: nowhere */
};

/* The lists of a plan, in the order in which they are carried out: what can be
 * done before the rest of the plan is made; the box around everything; then, side
 * by side, PID 1 locking itself down and the program's process becoming the
 * program; last what is left to say. */
enum { FIRST, BOX, REAPER, TARGET, FINAL, LISTS };

struct list {
	u64 steps;
	u32 n;
	u32 reserved;
};

/* A plan comes in two parts, each with the memory that its steps use. */
struct first {
	u32 magic;
	u32 size;
	s32 report_fd;
	s32 keeping; /* set here by OP_KEEPER: whom to kill in the end, see below */
	struct list list;
};

struct rest {
	u32 magic;
	u32 size;
	struct list list[LISTS - 1];
	u64 status; /* where the program's raw wait status goes, as s32 */
};

struct report {
	u32 magic;
	u32 kind; /* 1: a step failed. (2, evidence, is written by a step.) */
	u32 list;
	u32 step;
	s32 result;
	u32 reserved;
};

/* What the starter is asked for, see pid1.Request. */
struct request {
	u64 namespaces;
	u64 flags;
};

#define KEEP_SESSION 1
#define KEEP_KEYRING 2

/* What comes with each part of the plan: where it is going to stand. The plan's
 * rest itself comes as a descriptor, and stays none. */
#define FIRST_HANDED 3
#define REST_HANDED 4
static const s32 first_handed[FIRST_HANDED] = { 4, LIFELINE, 6 };
static const s32 rest_handed[REST_HANDED] = { -1, 0, 1, 2 };

/* What first.keeping is. */
enum {
	KEEP_NOBODY = 0,  /* we are PID 1: the kernel ends the tree with us */
	KEEP_ALL = -1,    /* kill(2)'s: all whom we may signal */
	KEEP_GROUP = 1,   /* the program's process group: minus its number, once we know it */
	KEEP_WAITING = 2, /* they have been killed */
};

#define NO_STEP 0xffffffffU /* the clone before a list's first step */
#define WANT_ANY (-0x7fffffff - 1)
#define WANT_ALL (-0x7fffffff) /* what came of it is what is wanted */

enum {
	OP_SIGNALS = 0xf0000001, /* every signal to its default, none blocked */
	OP_LIFELINE = 0xf0000002, /* SIGIO makes us look at the lifeline */
	OP_KEEPER = 0xf0000003, /* no pid namespace: SIGTERM ends us, and no end of ours without the tree's */
	OP_EMPTY = 0xf0000004 /* end all the others of our pid namespace, and see that nobody is left */
};

#define CLONE_PARENT 0x8000UL
#define CLONE_INTO_CGROUP 0x200000000UL
#define SIGKILL 9
#define SIGTERM 15
#define SIGCHLD 17
#define SIGIO 29
#define NSIG 64
#define F_GET_SEALS 1034
#define SEALS_WANTED 15 /* F_SEAL_SEAL | SHRINK | GROW | WRITE */
#define WALL 0x40000000 /* __WALL: children of every kind */
#define EPERM 1
#define EINTR 4
#define ECHILD 10
#define EACCES 13
#define ENOSYS 38
#define EKEYREJECTED 129

struct sigaction {
	void (*handler)(int);
	u64 flags;
	void (*restorer)(void);
	u64 mask;
};

static __attribute__((noreturn)) void leave(int code)
{
	for (;;)
		sys(SYS_EXIT_GROUP, (u64)code, 0, 0, 0, 0, 0);
}

static s32 *keeping(void)
{
	return &((struct first *)PLAN_BASE)->keeping;
}

/* end is leave for when the program may be running. As PID 1 we take the whole
 * namespace with us. Without one we are the subreaper of the program's tree
 * (PR_SET_CHILD_SUBREAPER), whose processes become our children when they are
 * orphaned: so that we have no child means that nothing is left of it.
 *
 * Whom one kill hits is the tree and nobody else. It is all whom the kernel lets us
 * signal, besides ourselves, to which the steps before OP_KEEPER have seen; or it
 * is the program's process group, which the filter lets nobody leave. Once is
 * enough: no fork gets past it, as the kernel makes none for a parent that has been
 * killed. */
static __attribute__((noreturn)) void end(int code)
{
	s32 whom = *keeping();

	if (whom != KEEP_NOBODY) {
		if (whom < 0)
			sys(SYS_KILL, (u64)(long)whom, SIGKILL, 0, 0, 0, 0);
		if (whom < KEEP_ALL) /* it may not have made its group yet */
			sys(SYS_KILL, (u64)(long)-whom, SIGKILL, 0, 0, 0, 0);
		while (sys(SYS_WAIT4, (u64)-1, 0, WALL, 0, 0, 0) != -ECHILD)
			;
	}
	leave(code);
}

/* The signal says only that something may have happened, and anybody may send
 * it. That the supervisor has gone is what the pipe itself says, by its end; a
 * byte on it says that the box is to end. */
static void on_lifeline(int sig)
{
	char byte;
	(void)sig;
	if (sys(SYS_READ, LIFELINE, (u64)&byte, 1, 0, 0, 0) >= 0)
		end(1);
}

/* The thread that started us is gone, or somebody outside wants us gone. */
static void on_end(int sig)
{
	(void)sig;
	end(1);
}

static long set_action(int sig, void (*handler)(int), u64 flags)
{
	struct sigaction act;
	act.handler = handler;
	act.flags = flags;
	act.restorer = SIG_RETURN;
	act.mask = 0;
	return sys(SYS_SIGACTION, (u64)sig, (u64)&act, 0, sizeof act.mask, 0, 0);
}

/* set_mask blocks those signals and no others. */
static long set_mask(u64 mask)
{
	return sys(SYS_SIGPROCMASK, 2 /* SIG_SETMASK */, (u64)&mask, 0, sizeof mask, 0, 0);
}

/* The mask survives execve: the caller's, or that with which it started us, in
 * which everything is blocked, the lifeline's signal too. */
static long unblock_signals(void)
{
	return set_mask(0);
}

/* SIG_IGN survives execve, so the caller's ignored signals would be the
 * program's. */
static long default_signals(void)
{
	for (int sig = 1; sig <= NSIG; sig++)
		set_action(sig, 0, 0); /* fails for KILL and STOP, which have no other */
	return unblock_signals();
}

/* As PID 1 of a namespace we are the parent of whoever is orphaned in it, so to
 * have no child is to be alone. As in end, one kill is enough. */
static long empty(void)
{
	sys(SYS_KILL, (u64)-1, SIGKILL, 0, 0, 0, 0);
	while (sys(SYS_WAIT4, (u64)-1, 0, WALL, 0, 0, 0) != -ECHILD)
		;
	return 0;
}

static long perform(const struct step *s)
{
	u64 a[6];
	for (int i = 0; i < 6; i++)
		a[i] = s->indirect >> i & 1 ? (u64)(long)*(volatile s32 *)s->args[i] : s->args[i];
	if (s->nr == OP_SIGNALS)
		return default_signals();
	if (s->nr == OP_LIFELINE)
		return set_action(SIGIO, on_lifeline, SA_RESTORER);
	if (s->nr == OP_EMPTY)
		return empty();
	if (s->nr == OP_KEEPER) {
		*keeping() = (s32)a[0];
		return set_action(SIGTERM, on_end, SA_RESTORER);
	}
	return sys(s->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static __attribute__((noreturn)) void fail(u32 list, u32 step, long result)
{
	struct report r;
	r.magic = PLAN_MAGIC;
	r.kind = 1;
	r.list = list;
	r.step = step;
	r.result = (s32)result;
	r.reserved = 0;
	sys(SYS_WRITE, (u64)((struct first *)PLAN_BASE)->report_fd, (u64)&r, sizeof r, 0, 0, 0);
	end(125);
}

static void carry_out(u32 list)
{
	const struct list *l = list == FIRST ? &((const struct first *)PLAN_BASE)->list : &((const struct rest *)REST_BASE)->list[list - 1];
	const struct step *s = (const struct step *)l->steps;
	for (u32 i = 0; i < l->n; i++, s++) {
		long ret = perform(s);
		if (s->out)
			*(volatile s32 *)s->out = (s32)ret;
		if (s->want == WANT_ALL || (s->want == WANT_ANY ? ret >= 0 || ret < -4095 : ret == s->want))
			continue;
		fail(list, i, ret);
	}
}

/* next waits for a child to end. Where the tree is ours to end it is killed while
 * the program, though dead, still has its number: that could be somebody else's
 * later. */
static long next(long program, s32 *status)
{
	s32 info[32]; /* siginfo_t: the pid is its fifth number */

	if (*keeping() == KEEP_NOBODY)
		return sys(SYS_WAIT4, (u64)-1, (u64)status, WALL, 0, 0, 0);
	long ret = sys(SYS_WAITID, 0 /* P_ALL */, 0, (u64)info, WALL | 0x1000004 /* WNOWAIT | WEXITED */, 0, 0);
	if (ret < 0)
		return ret;
	if (info[4] == program && *keeping() < 0) {
		sys(SYS_KILL, (u64)(long)*keeping(), SIGKILL, 0, 0, 0, 0);
		*keeping() = KEEP_WAITING;
	}
	return sys(SYS_WAIT4, (u64)(long)info[4], (u64)status, WALL, 0, 0, 0);
}

/* A plain blocking wait: no state that a lost signal could spoil. When the
 * program ends so do we, and with us the whole box. */
static __attribute__((noreturn)) void reap(long program)
{
	for (;;) {
		s32 status = 0;
		long pid = next(program, &status);
		if (pid == program) {
			*(volatile s32 *)((const struct rest *)REST_BASE)->status = status;
			carry_out(FINAL);
			end(0);
		}
		if (pid < 0 && pid != -EINTR)
			end(1);
	}
}

/* What a message brings besides its data. */
struct rights {
	u64 len;
	s32 level, type;
	s32 fd[REST_HANDED + 1];
};

/* receive returns the length of a message, or leaves: without a supervisor there
 * is nothing to do. */
static u64 receive(void *data, u64 size, struct rights *rights, u32 *handed)
{
	struct { void *base; u64 len; } part = { data, size };
	struct {
		void *name;
		u32 namelen, unused;
		void *parts;
		u64 nparts;
		void *control;
		u64 controllen;
		s32 flags;
	} message = { 0, 0, 0, &part, 1, rights, sizeof *rights, 0 };

	long len = sys(SYS_RECVMSG, CHANNEL, (u64)&message, 0x40000000 /* MSG_CMSG_CLOEXEC */, 0, 0, 0);
	if (len <= 0)
		leave(125);
	*handed = message.controllen < 16 /* struct cmsghdr */ ? 0 : (u32)(rights->len - 16) / sizeof rights->fd[0];
	return (u64)len;
}

static void move(s32 from, s32 to)
{
	if (sys(SYS_DUP3, (u64)(long)from, (u64)to, 0, 0, 0, 0) != to)
		leave(125);
}

/* The first part of the plan comes as soon as the id maps are written, while the
 * supervisor is still making the rest: in the message itself, which nobody can
 * change any more. With it come the box's ends of its pipes. The numbers at which
 * they arrive are closed by its first step, with what the caller leaked. */
static void receive_first(void)
{
	const struct first *p = (const struct first *)PLAN_BASE;
	struct rights rights;
	u32 handed;

	if (sys(SYS_MMAP, PLAN_BASE, FIRST_ROOM, 3 /* PROT_READ | PROT_WRITE */,
		0x100022 /* MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE */, (u64)-1, 0) != (long)PLAN_BASE)
		leave(125);
	u64 size = receive((void *)PLAN_BASE, FIRST_ROOM, &rights, &handed);
	if (handed != FIRST_HANDED || p->magic != PLAN_MAGIC || p->size != size)
		leave(125);
	for (u32 i = 0; i < FIRST_HANDED; i++)
		move(rights.fd[i], first_handed[i]);
}

/* The rest comes as a descriptor, with the box's stdin, stdout and stderr. */
static void receive_rest(void)
{
	const struct rest *p = (const struct rest *)REST_BASE;
	struct rights rights;
	u32 handed;
	char byte;
	u64 fd;

	if (receive(&byte, 1, &rights, &handed) != 1 || handed != REST_HANDED)
		leave(125);
	fd = (u64)(long)rights.fd[0];
	for (u32 i = 1; i < REST_HANDED; i++) {
		move(rights.fd[i], rest_handed[i]);
		sys(SYS_CLOSE, (u64)(long)rights.fd[i], 0, 0, 0, 0, 0);
	}
	/* A plan that somebody could still change is not a plan. */
	if ((sys(SYS_FCNTL, fd, F_GET_SEALS, 0, 0, 0, 0) & SEALS_WANTED) != SEALS_WANTED)
		leave(125);
	if (sys(SYS_MMAP, REST_BASE, sizeof *p, 1 /* PROT_READ */,
		0x100002 /* MAP_PRIVATE | MAP_FIXED_NOREPLACE */, fd, 0) != (long)REST_BASE || p->magic != PLAN_MAGIC)
		leave(125);
	if (sys(SYS_MMAP, REST_BASE, p->size, 3 /* PROT_READ | PROT_WRITE */,
		0x12 /* MAP_PRIVATE | MAP_FIXED */, fd, 0) != (long)REST_BASE)
		leave(125);
	sys(SYS_CLOSE, fd, 0, 0, 0, 0, 0);
}

static s32 clone_pid1(const struct request *r, s32 group)
{
	/* clone3 takes no exit signal together with CLONE_PARENT: PID 1 has ours. */
	struct {
		u64 flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
	} args = { r->namespaces | CLONE_PARENT | CLONE_INTO_CGROUP, 0, 0, 0, 0, 0, 0, 0, 0, 0, (u64)(long)group };

	if (group < 0)
		return (s32)sys(SYS_CLONE, r->namespaces | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0, 0);
	return (s32)sys(SYS_CLONE3, (u64)&args, sizeof args, 0, 0, 0, 0);
}

#define SESSION_KEYRING ((u64)-3) /* KEY_SPEC_SESSION_KEYRING */

/* owned says whether we own our session keyring, which is described as
 * "keyring;UID;GID;PERMISSIONS;NAME". */
static int owned(void)
{
	char text[64];
	u32 uid = 0;

	if (sys(SYS_KEYCTL, 6 /* KEYCTL_DESCRIBE */, SESSION_KEYRING, (u64)text, sizeof text, 0, 0) < 0)
		return 0;
	for (const char *digit = text + sizeof "keyring;" - 1; *digit != ';'; digit++)
		uid = uid * 10 + (u32)(*digit - '0');
	return uid == (u32)sys(SYS_GETEUID, 0, 0, 0, 0, 0, 0);
}

/* The caller's session keyring is in no namespace. PID 1 has one beside it, which is
 * found by its name: all boxes of a user share it, since a user has 200 keys
 * (keyrings(7)), and no box has anything in it. It is joined out here because names of
 * keyrings are the user namespace's. Without the permission to be searched it would
 * not be found again. By that permission, given to everybody, another user can have us
 * find one of his: then PID 1 has a new one that has no name. Where nobody has keys, or a
 * filter around forbids them, the box has none either; who is forbidden this one alone
 * (EACCES, by a security module) has an errno of keys' own, since clone has that one as
 * well. */
static long join_keyring(void)
{
	static const char name[] = "jail";
	long ring = sys(SYS_KEYCTL, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, (u64)name, 0, 0, 0, 0);

	if (ring > 0 && !owned())
		ring = sys(SYS_KEYCTL, 1, 0, 0, 0, 0, 0);
	else if (ring > 0)
		sys(SYS_KEYCTL, 5 /* KEYCTL_SETPERM */, SESSION_KEYRING,
			0x3f0b0000 /* KEY_POS_ALL | KEY_USR_VIEW | KEY_USR_READ | KEY_USR_SEARCH */, 0, 0, 0);
	if (ring == -ENOSYS || ring == -EPERM)
		return 0;
	if (ring == -EACCES)
		return -EKEYREJECTED;
	return ring;
}

/* The kernel needs most of a millisecond for the namespaces. So the supervisor
 * starts us without any, and goes on planning while we clone PID 1 into them,
 * as a child of the supervisor (CLONE_PARENT), tell it the pid or the errno,
 * and are gone.
 *
 * A session of our own, or a Ctrl-C at the terminal would meet PID 1 before the
 * box stands. Every number that is going to have a meaning is taken, so that
 * what is handed to us arrives beyond them, and what the caller left there is
 * gone. */
static void become_pid1(void)
{
	struct request request;
	struct rights rights;
	s32 pid = 0;
	u32 n;

	unblock_signals();
	/* Ignored, as a caller may have left it, it would have the kernel reap our
	 * children: the program's end would be nobody's to know. */
	set_action(SIGCHLD, 0, 0);
	for (s32 fd = 0; fd <= LAST_FD; fd++)
		if (fd != CHANNEL)
			move(CHANNEL, fd);
	if (receive(&request, sizeof request, &rights, &n) != sizeof request)
		leave(125);
	if (!(request.flags & KEEP_SESSION))
		sys(SYS_SETSID, 0, 0, 0, 0, 0, 0);
	if (!(request.flags & KEEP_KEYRING))
		pid = (s32)join_keyring();
	if (pid >= 0)
		pid = clone_pid1(&request, n == 1 ? rights.fd[0] : -1);
	if (pid == 0)
		return;
	sys(SYS_WRITE, CHANNEL, (u64)&pid, sizeof pid, 0, 0, 0);
	leave(0);
}

__attribute__((used, noreturn)) void init(void)
{
	become_pid1();
	receive_first();
	carry_out(FIRST);
	receive_rest();
	carry_out(BOX);
	if (*keeping()) /* until we know whom to end */
		set_mask(~0UL);
	long program = sys(SYS_CLONE, SIGCHLD, 0, 0, 0, 0, 0);
	if (program == 0) {
		*keeping() = KEEP_NOBODY; /* in our copy */
		carry_out(TARGET);
		leave(125); /* not reached: the last step is execve, or fails */
	}
	if (program < 0)
		fail(TARGET, NO_STEP, program);
	if (*keeping() == KEEP_GROUP)
		*keeping() = (s32)-program;
	if (*keeping())
		set_mask(0);
	carry_out(REAPER);
	reap(program);
}
