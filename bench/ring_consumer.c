/*
 * Runs a program under the ring buffer probe of this folder (probes/ring.bpf.c) and takes its
 * records on one thread, which adds up each and compares the sum with the one it carries.
 *
 *   ring_consumer OBJECT ONE_BLOCK_IN PROGRAM [ARGUMENT...]
 *
 * Prints what the program prints, then: records taken, dropped (no room in their ring) and wrong;
 * seconds from the first record to the last, and records a second in them; how many calls of
 * egpu_session_poll() gave some, and the most of one. Exit 1 where a sum is wrong.
 */
#include <egpu/egpu.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of ring.bpf.c. */
struct Event {
  uint64_t time;
  uint32_t block;
  uint32_t warp;
  uint32_t sm;
  uint32_t lanes;
  uint64_t sum;
};

struct Seen {
  uint64_t records, wrong;
};

static void add(void* context, const struct egpu_record* record) {
  struct Seen* seen = context;
  const struct Event* event = record->data;

  ++seen->records;
  seen->wrong += record->size != sizeof *event ||
                 event->time + event->block + event->warp + event->sm + event->lanes != event->sum;
}

static double now(void) {
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, egpu_error());
  return 1;
}

static int consume(struct egpu_session* session, const char* const program[]) {
  struct Seen seen = {0, 0};
  struct egpu_map_counts counts;
  double first = 0, last = 0, before;
  int most = 0, polls = 0, found, ended = -ETIMEDOUT, status = 0;
  pid_t pid;

  if (egpu_session_start(session, program, NULL, &pid) < 0) return failed(program[0]);
  while (ended == -ETIMEDOUT) {
    before = now();
    found = egpu_session_poll(session, 10, add, &seen);
    if (found < 0) return failed("poll");
    if (found > 0) {
      if (polls++ == 0) first = before;
      last = now();
      most = found > most ? found : most;
    }
    ended = egpu_session_wait(session, pid, 0, &status);
  }
  if (ended < 0) return failed("wait");
  if (egpu_session_finish(session) < 0) return failed("finish");
  while (egpu_session_poll(session, 0, add, &seen) > 0) {
  }
  if (egpu_map_get_counts(egpu_session_map(session, "events"), &counts) < 0)
    return failed("counts");
  printf("records=%" PRIu64 " dropped=%" PRIu64 " wrong=%" PRIu64
         " seconds=%.3f per_second=%.0f polls=%d "
         "most_of_a_poll=%d\n",
         seen.records, counts.dropped, seen.wrong, last - first,
         last > first ? (double)seen.records / (last - first) : 0, polls, most);
  return status == 0 && seen.wrong == 0 && seen.records == counts.records ? 0 : 1;
}

int main(int argc, char** argv) {
  struct egpu_options* options;
  struct egpu_session* session;
  int status;

  if (argc < 4) {
    fprintf(stderr, "usage: ring_consumer OBJECT ONE_BLOCK_IN PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (egpu_options_new(&options) < 0) return failed("options");
  egpu_options_set_variable(options, "one_block_in", argv[2]);
  egpu_options_set_interval(options, 600000);
  status = egpu_session_open(argv[1], options, &session);
  egpu_options_free(options);
  if (status < 0) return failed(argv[1]);
  status = consume(session, (const char* const*)argv + 3);
  egpu_session_close(session);
  return status;
}
