// Which stream the handle 0 means in this thread's call: the context's legacy stream, or in the
// _ptds and _ptsz forms of functions the thread's own.
#pragma once

namespace egpu::emu::driver {

inline thread_local bool per_thread_default_stream = false;

class PerThreadDefaultStream {
 public:
  PerThreadDefaultStream() { per_thread_default_stream = true; }
  ~PerThreadDefaultStream() { per_thread_default_stream = false; }
  PerThreadDefaultStream(const PerThreadDefaultStream&) = delete;
  PerThreadDefaultStream& operator=(const PerThreadDefaultStream&) = delete;
};

}  // namespace egpu::emu::driver
