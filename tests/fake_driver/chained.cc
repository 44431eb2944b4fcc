// An injection library that was there before ours: leaves a trace that it was initialised.
#include <cstdlib>
#include <fstream>

extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  if (const char* path = std::getenv("FAKE_CHAINED_TRACE")) std::ofstream(path) << "initialised";
  return 1;
}
