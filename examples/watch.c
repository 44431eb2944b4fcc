/*
 * Runs a program under libegpu with the bundled tool `kernelcount`, and says every second how many
 * threads its kernels had so far; in the end, for each kernel, how often it was launched.
 *
 *   watch [--emulate] PROGRAM [ARGUMENT...]
 */
#include <egpu/egpu.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* A value of the tool's map `kernels`, whose keys number the kernels. */
struct Count {
  uint64_t launches;
  uint64_t threads;
};

static int add_threads(void* context, const void* key, const void* value) {
  uint64_t* sum = context;

  (void)key;
  *sum += ((const struct Count*)value)->threads;
  return 0;
}

static int print_kernel(void* context, const void* key, const void* value) {
  const struct Count* count = value;
  uint32_t kernel;

  (void)context;
  memcpy(&kernel, key, sizeof kernel);
  printf("kernel=%" PRIu32 " launches=%" PRIu64 " threads=%" PRIu64 "\n", kernel, count->launches,
         count->threads);
  return 0;
}

static void print_warning(void* context, const char* warning) {
  (void)context;
  fprintf(stderr, "warning: %s\n", warning);
}

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, egpu_error());
  return 1;
}

/* The exit status of the program, or -1. */
static int watch(struct egpu_session* session, const char* const program[]) {
  struct egpu_map* kernels = egpu_session_map(session, "kernels");
  uint64_t threads;
  int status = 0, ended, read;
  pid_t pid;

  if (egpu_session_start(session, program, NULL, &pid) < 0) return -failed(program[0]);
  while ((ended = egpu_session_wait(session, pid, 1000, &status)) == -ETIMEDOUT) {
    threads = 0;
    read = egpu_map_for_each(kernels, EGPU_ALL, add_threads, &threads);
    if (read == 0)
      printf("threads=%" PRIu64 "\n", threads);
    else if (read != -ENODEV) /* no kernel was launched yet, or none will be any more */
      return -failed("kernels");
    fflush(stdout);
  }
  if (ended < 0) return -failed("wait");
  egpu_session_finish(session);
  egpu_map_for_each(kernels, EGPU_ALL, print_kernel, NULL);
  egpu_session_warnings(session, print_warning, NULL);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char** argv) {
  const int emulate = argc > 1 && strcmp(argv[1], "--emulate") == 0;
  struct egpu_options* options;
  struct egpu_session* session;
  int status;

  if (argc < 2 + emulate) {
    fprintf(stderr, "usage: watch [--emulate] PROGRAM [ARGUMENT...]\n");
    return 1;
  }
  if (egpu_options_new(&options) < 0) return failed("options");
  egpu_options_set_emulate(options, emulate);
  status = egpu_session_open("kernelcount", options, &session);
  egpu_options_free(options);
  if (status < 0) return failed("kernelcount");
  status = watch(session, (const char* const*)argv + 1 + emulate);
  egpu_session_close(session);
  return status < 0 ? 1 : status;
}
