// The egpu executable. All that it does is in libegpu.so, which it would otherwise be a second copy
// of (docs/adr/0008-one-library-for-command-and-api.md).
#include <egpu/egpu.h>

int main(int argc, char** argv) { return egpu_main(argc, argv); }
