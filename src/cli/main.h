// All that the egpu executable does, for the one that is linked with libegpu.so.
#pragma once

namespace egpu::cli {

// As main(); gives the exit status.
int main_of(int argc, char** argv);

}  // namespace egpu::cli
