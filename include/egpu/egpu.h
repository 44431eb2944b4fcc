/*
 * libegpu: run eBPF programs inside the CUDA kernels of other programs, and read and write their
 * maps while the kernels run. The command `egpu` is built on it. Needs a C99 compiler, nothing
 * else.
 *
 * A session holds the checked programs of one eBPF object and listens for the programs that it
 * observes. Each context (in general: each device) of each observed process has an instance of the
 * maps of its own. An instance stays readable after its process has ended: as it last was.
 *
 * Results. Functions give 0 or more, or a negative number of errno.h; egpu_error() then says in
 * words what went wrong. -ETIMEDOUT: the device or the process did not answer in the time that
 * egpu_options_set_wait() allows; what was asked for may still happen. -ENODEV: the process or
 * context has ended. -EINVAL: an argument is wrong. -EIO, -ENOMEM: the system or the driver
 * failed.
 *
 * Threads. All functions may be called from all threads at a time, except that a handle is closed
 * once and not used during or after that. Callbacks run on the thread that called, and must not
 * call functions of the same session.
 *
 * Ownership. Whatever ..._open() and ..._new() give is the caller's, to be given to ..._close() or
 * ..._free(), which accept NULL. Maps belong to their session and end with it. Strings and memory
 * that callbacks get are theirs until they return.
 */
#ifndef EGPU_H
#define EGPU_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EGPU_API __attribute__((visibility("default")))

/* NOLINTBEGIN(readability-identifier-naming): as names are in C */
struct egpu_options;
struct egpu_session;
struct egpu_map;

/* Why the last function that failed on this thread did: a sentence, never NULL, good until the next
 * one fails. */
EGPU_API const char* egpu_error(void);

/* "0.1.0" */
EGPU_API const char* egpu_version(void);

/* What egpu's own executable does, with its arguments: returns its exit status. */
EGPU_API int egpu_main(int argc, char** argv);

/* ---- options ---- */

EGPU_API int egpu_options_new(struct egpu_options** options);
EGPU_API void egpu_options_free(struct egpu_options* options);

/* Sets a `const volatile` variable of the object, as `egpu run --set NAME=VALUE` does. Whether
 * there is such a variable is found when a session is opened. */
EGPU_API int egpu_options_set_variable(struct egpu_options* options, const char* name,
                                       const char* value);
/* 1: programs run in egpu's emulator, without a GPU. Default 0. */
EGPU_API int egpu_options_set_emulate(struct egpu_options* options, int emulate);
/* How often maps are copied out of a device by themselves, in milliseconds: what a process that
 * is killed may lose at most. 10 or more; default 1000. */
EGPU_API int egpu_options_set_interval(struct egpu_options* options, unsigned milliseconds);
/* The bound on each request to a device, in milliseconds. 1 or more; default 2000. */
EGPU_API int egpu_options_set_wait(struct egpu_options* options, unsigned milliseconds);

/* ---- sessions ---- */

/* Loads, checks and compiles an object, and listens. `object`: the path of what clang -target
 * bpf made, or the name of a bundled tool. `options`: NULL for the defaults; not kept. -EINVAL:
 * the object was refused, or a variable; -ENODEV: this machine has no GPU, and it shall not be
 * emulated. */
EGPU_API int egpu_session_open(const char* object, const struct egpu_options* options,
                               struct egpu_session** session);
/* The same with the object's bytes; `name` is for messages. Keeps neither. */
EGPU_API int egpu_session_open_bytes(const void* bytes, size_t size, const char* name,
                                     const struct egpu_options* options,
                                     struct egpu_session** session);
/* Programs that still run go on without being observed. */
EGPU_API void egpu_session_close(struct egpu_session* session);

/* Starts a program under the session. `argv` and `envp` end with NULL; argv[0] is looked for on
 * PATH; envp NULL: the caller's environment. Settings of the session replace variables of the
 * same name. The process is the caller's child: wait for it with egpu_session_wait() or
 * waitpid(). */
EGPU_API int egpu_session_start(struct egpu_session* session, const char* const argv[],
                                const char* const envp[], pid_t* pid);
/* Waits for the end of a child and reaps it. *status: as waitpid() gives it; NULL is accepted.
 * timeout_ms < 0: without an end. -ETIMEDOUT: it still runs. Ring buffers are not read meanwhile: a
 * program that fills them ends only when somebody polls, or five seconds have passed. */
EGPU_API int egpu_session_wait(struct egpu_session* session, pid_t pid, int timeout_ms,
                               int* status);
/* "NAME=value" settings for programs that the caller starts by itself, one at each index from 0 on;
 * NULL behind the last. Good as long as the session. */
EGPU_API const char* egpu_session_setting(struct egpu_session* session, size_t index);
/* Stops listening and serving. What was read stays readable; records that were left in ring
 * buffers can still be polled. */
EGPU_API int egpu_session_finish(struct egpu_session* session);

struct egpu_statistics {
  uint64_t processes; /* that initialised CUDA under the session */
  uint64_t modules;   /* of GPU code that they loaded */
  uint64_t modules_probed;
  uint64_t kernels;           /* that programs matched */
  uint64_t launches_probed;   /* as of the last snapshot of each instance, as the next */
  uint64_t launches_original; /* of kernels with probes that could not run with them */
};
EGPU_API int egpu_session_statistics(struct egpu_session* session,
                                     struct egpu_statistics* statistics);

/* What may be missing, and what is not observed and why, a sentence for each call of `visit`; gives
 * how many there were. */
EGPU_API int egpu_session_warnings(struct egpu_session* session,
                                   void (*visit)(void* context, const char* warning),
                                   void* context);

/* ---- instances ---- */

#define EGPU_ALL UINT64_MAX /* in place of an instance: all of the session */

struct egpu_instance {
  uint64_t id;     /* within the session; never used again */
  int32_t pid;     /* of its process */
  int32_t device;  /* CUDA ordinal in that process */
  uint32_t shards; /* SMs of the device */
  uint32_t live;   /* 1: can be written and read anew; 0: is as it last was */
  char name[64];   /* of the device, NUL-terminated */
  char uuid[48];   /* "GPU-...", as nvidia-smi prints it */
};

/* *count: room in `instances`; becomes how many there are. -ENOSPC: more than there was room for;
 * the first were written. */
EGPU_API int egpu_session_instances(struct egpu_session* session, struct egpu_instance* instances,
                                    size_t* count);

/* ---- maps ---- */

/* NULL: the object has no map of that name. ".data", ".bss" and their kin hold global variables. */
EGPU_API struct egpu_map* egpu_session_map(struct egpu_session* session, const char* name);
/* In the object's order. NULL: no more. */
EGPU_API struct egpu_map* egpu_session_map_at(struct egpu_session* session, size_t index);

struct egpu_map_info {
  const char* name;     /* as long as the map */
  uint32_t type;        /* BPF_MAP_TYPE_...: the numbers of Linux */
  uint32_t key_size;    /* bytes; 0 where there are no keys */
  uint32_t value_size;  /* bytes; of a ring buffer's records, 0 where the object does not say */
  uint32_t max_entries; /* of a ring buffer: bytes of each SM's ring */
  uint32_t per_sm;      /* 1: PERCPU, each SM has values of its own */
};
EGPU_API int egpu_map_get_info(const struct egpu_map* map, struct egpu_map_info* info);

/*
 * Keys have key_size bytes, values value_size; an array's key is its index as uint32_t. `instance`
 * is an egpu_instance::id or EGPU_ALL, which is the only one where there is one alone.
 *
 * Values of PERCPU maps are given as sums over SMs, and with EGPU_ALL over instances: integers are
 * added modulo their width, flags are or-ed, of enumerations and texts the first that is not zero
 * counts; the map's value type must say what its fields are. Other maps have a value in each
 * instance, and EGPU_ALL gives -EINVAL where several instances are there to choose from.
 *
 * A value of 1, 2, 4 or 8 bytes, or such a field at a multiple of its size, is read and written at
 * once; fields of one value may be of different moments.
 */

/* -ENOENT: no such key. -EAGAIN: it is deleted and added again all the time. */
EGPU_API int egpu_map_lookup(struct egpu_map* map, uint64_t instance, const void* key, void* value);
/* Of a PERCPU map in one instance: egpu_instance::shards values, one for each SM, each
 * value_size bytes behind the one before. `size`: bytes at `values`; -ENOSPC where that is too
 * little. */
EGPU_API int egpu_map_lookup_per_sm(struct egpu_map* map, uint64_t instance, const void* key,
                                    void* values, size_t size);

/* Flags of updates, the numbers of Linux. */
enum {
  EGPU_ANY = 0,     /* whatever is there */
  EGPU_NOEXIST = 1, /* -EEXIST where there is an element */
  EGPU_EXIST = 2,   /* -ENOENT where there is none */
};

/* In each instance that is live where it is EGPU_ALL; gives the first failure. What a PERCPU map
 * had on all SMs becomes one sum; additions of programs meanwhile may get lost. -E2BIG: no such
 * index. -EOPNOTSUPP: not with this type of map. Threads that run now may see the old value
 * until their kernel ends. */
EGPU_API int egpu_map_update(struct egpu_map* map, uint64_t instance, const void* key,
                             const void* value, uint64_t flags);
/* Every element as it was before the first program ran. */
EGPU_API int egpu_map_clear(struct egpu_map* map, uint64_t instance);

/* Calls `visit` with every element, in the order of keys, from copies that were started after the
 * call; where it gives anything but 0, ends and gives that. Elements of arrays that are zeros alone
 * are left out, and so are what a queue or stack does not hold: its keys are 0 for the oldest. */
EGPU_API int egpu_map_for_each(struct egpu_map* map, uint64_t instance,
                               int (*visit)(void* context, const void* key, const void* value),
                               void* context);
/* The same into arrays: key i is at keys + i * key_size (4 where key_size is 0), value i at
 * values + i * value_size. *count: room; becomes how many there are. -ENOSPC: more than there
 * was room for; nothing was written. */
EGPU_API int egpu_map_read(struct egpu_map* map, uint64_t instance, void* keys, void* values,
                           size_t* count);

/* ---- ring buffers ---- */

struct egpu_record {
  struct egpu_map* map; /* RINGBUF, or PERF_EVENT_ARRAY; ".trace": of bpf_trace_printk */
  int32_t pid;
  int32_t device;
  uint32_t sm;
  const void* data; /* aligned to 8 bytes, until the callback returns */
  size_t size;
};

/* Gives `visit` the records that came in all ring buffers of the session, as soon as there are
 * some, and how many that were; 0 after timeout_ms (< 0: without an end) without any. Where
 * nobody polls, rings fill up, and records that find no room are dropped and counted. Records of
 * one SM come in their order. */
EGPU_API int egpu_session_poll(struct egpu_session* session, int timeout_ms,
                               void (*visit)(void* context, const struct egpu_record* record),
                               void* context);

struct egpu_map_counts {
  uint64_t full;      /* updates that found no room, of hashes, queues and stacks */
  uint64_t busy;      /* operations of them that gave up: others were at work on the same keys */
  uint64_t records;   /* of ring buffers: polled */
  uint64_t discarded; /* polled and thrown away: the program did not want them */
  uint64_t dropped;   /* found no room */
};
/* Over all instances, as of the last snapshot of each. */
EGPU_API int egpu_map_get_counts(struct egpu_map* map, struct egpu_map_counts* counts);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
