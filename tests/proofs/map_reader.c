/*
 * Reads a map of 64-bit counts, one of them PERCPU, while kernels count in them: single elements
 * and whole copies in turn, every 100 ms, until the program ends.
 *
 *   map_reader [--emulate] OBJECT PROGRAM [ARGUMENT...]
 *
 * The object's map `threads` (PERCPU_ARRAY, one element) and its map `by_lane` (HASH) both count
 * threads. Prints how many reads there were, how many of them found more than the one before, how
 * many found less (which must not be), and both counts in the end. The exit status is that of the
 * program.
 */
#include <egpu/egpu.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define MOST_SMS 1024

/* What was found so far of one way to read. */
struct Series {
  uint64_t reads, grew, shrank, last;
};

static void add(struct Series* series, uint64_t found) {
  ++series->reads;
  series->grew += found > series->last;
  series->shrank += found < series->last;
  series->last = found;
}

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, egpu_error());
  return -1;
}

static int add_value(void* context, const void* key, const void* value) {
  uint64_t count;

  (void)key;
  memcpy(&count, value, sizeof count);
  *(uint64_t*)context += count;
  return 0;
}

/* -1: a read failed, though the device is there. */
static int read_once(struct egpu_map* threads, struct egpu_map* by_lane, struct Series* sum,
                     struct Series* per_sm, struct Series* copy) {
  static uint64_t values[MOST_SMS];
  const uint32_t zero = 0;
  uint64_t total = 0, found;
  int result = egpu_map_lookup(threads, EGPU_ALL, &zero, &found);

  if (result == -ENODEV) return 0; /* nothing was launched yet */
  if (result < 0) return failed("look-up");
  add(sum, found);
  memset(values, 0, sizeof values);
  result = egpu_map_lookup_per_sm(threads, EGPU_ALL, &zero, values, sizeof values);
  if (result == -ENODEV) return 0;
  if (result < 0) return failed("look-up per SM");
  for (int i = 0; i < MOST_SMS; ++i) total += values[i];
  /* It was read later than the sum. */
  add(per_sm, total < found ? 0 : total);
  total = 0;
  result = egpu_map_for_each(by_lane, EGPU_ALL, add_value, &total);
  if (result == -ENODEV) return 0;
  if (result < 0) return failed("copy");
  add(copy, total);
  return 0;
}

static void print(const char* name, const struct Series* series) {
  printf("%s_reads=%" PRIu64 " %s_grew=%" PRIu64 " %s_shrank=%" PRIu64 "\n", name, series->reads,
         name, series->grew, name, series->shrank);
}

static int watch(struct egpu_session* session, const char* const program[]) {
  struct egpu_map* threads = egpu_session_map(session, "threads");
  struct egpu_map* by_lane = egpu_session_map(session, "by_lane");
  struct Series sum = {0}, per_sm = {0}, copy = {0};
  const uint32_t zero = 0;
  uint64_t counted = 0, in_hash = 0;
  int status = 0, ended;
  pid_t pid;

  if (threads == NULL || by_lane == NULL) return failed("maps");
  if (egpu_session_start(session, program, NULL, &pid) < 0) return failed(program[0]);
  while ((ended = egpu_session_wait(session, pid, 100, &status)) == -ETIMEDOUT)
    if (read_once(threads, by_lane, &sum, &per_sm, &copy) < 0) return -1;
  if (ended < 0) return failed("wait");
  egpu_session_finish(session);
  print("sum", &sum);
  print("per_sm", &per_sm);
  print("copy", &copy);
  if (egpu_map_lookup(threads, EGPU_ALL, &zero, &counted) < 0) return failed("look-up");
  if (egpu_map_for_each(by_lane, EGPU_ALL, add_value, &in_hash) < 0) return failed("copy");
  printf("counted=%" PRIu64 " in_hash=%" PRIu64 "\n", counted, in_hash);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char** argv) {
  const int emulate = argc > 1 && strcmp(argv[1], "--emulate") == 0;
  struct egpu_options* options;
  struct egpu_session* session;
  int status;

  if (argc < 3 + emulate) {
    fprintf(stderr, "usage: map_reader [--emulate] OBJECT PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (egpu_options_new(&options) < 0) return -failed("options");
  egpu_options_set_emulate(options, emulate);
  status = egpu_session_open(argv[1 + emulate], options, &session);
  egpu_options_free(options);
  if (status < 0) return -failed(argv[1 + emulate]);
  status = watch(session, (const char* const*)argv + 2 + emulate);
  egpu_session_close(session);
  return status < 0 ? 1 : status;
}
