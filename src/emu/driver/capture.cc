#include "emu/driver/capture.h"

#include <atomic>

#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/graphs.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

thread_local cuda::CaptureMode thread_mode = cuda::kCaptureGlobal;

// Those that go on, invalidated ones among them.
std::set<std::shared_ptr<Capture>>& captures() {
  static auto* const instance = new std::set<std::shared_ptr<Capture>>;
  return *instance;
}

// Whether this thread may not make a call that could synchronise.
bool forbids_unsafe_calls(const Capture& capture) {
  if (thread_mode == cuda::kCaptureRelaxed || capture.mode == cuda::kCaptureRelaxed) return false;
  if (capture.thread == this_thread()) return true;
  return thread_mode == cuda::kCaptureGlobal && capture.mode == cuda::kCaptureGlobal;
}

void forget(const std::shared_ptr<Capture>& capture) {
  for (Stream* stream : capture->streams) {
    stream->capture = nullptr;
    stream->tail.clear();
  }
  capture->streams.clear();
  captures().erase(capture);
}

// Whether every stream of the capture was joined to its first one again.
bool is_joined(const Capture& capture) {
  const std::set<Node*> joined = ancestors_of(capture.origin->tail);
  for (const Stream* stream : capture.streams)
    for (Node* node : stream->tail)
      if (!joined.contains(node)) return false;
  return true;
}

Status begin(Stream& stream, std::shared_ptr<Graph> graph, std::vector<Node*> tail,
             cuda::CaptureMode mode) {
  if (mode < cuda::kCaptureGlobal || mode > cuda::kCaptureRelaxed) return cuda::kInvalidValue;
  if (&stream == stream.context.legacy.get()) return cuda::kStreamCaptureUnsupported;
  if (stream.capture != nullptr) return cuda::kIllegalState;
  static std::uint64_t next_id = 1;
  const auto capture = std::make_shared<Capture>(Capture{.id = next_id++,
                                                         .graph = std::move(graph),
                                                         .origin = &stream,
                                                         .mode = mode,
                                                         .thread = this_thread(),
                                                         .status = cuda::kCaptureActive,
                                                         .streams = {&stream}});
  captures().insert(capture);
  stream.capture = capture;
  stream.tail = std::move(tail);
  return cuda::kSuccess;
}

}  // namespace

bool is_active(const std::shared_ptr<Capture>& capture) {
  return capture != nullptr && captures().contains(capture);
}

Status check_capture(const Stream& stream) {
  return stream.capture->status == cuda::kCaptureActive ? cuda::kSuccess
                                                        : cuda::kStreamCaptureInvalidated;
}

Status capture_operation(Stream& stream, Operation operation) {
  EGPU_STATUS(check_capture(stream));
  const auto node =
      add_node(*stream.capture->graph, std::move(operation), &stream.context, stream.tail);
  stream.tail = {node.get()};
  return cuda::kSuccess;
}

Status join_capture(Stream& stream, std::shared_ptr<Capture> capture) {
  if (capture->status != cuda::kCaptureActive) return cuda::kStreamCaptureInvalidated;
  capture->streams.insert(&stream);
  stream.capture = std::move(capture);
  return cuda::kSuccess;
}

void invalidate(Capture& capture) { capture.status = cuda::kCaptureInvalidated; }

Status refuse_in_capture(Stream& stream) {
  EGPU_STATUS(check_capture(stream));
  invalidate(*stream.capture);
  return cuda::kStreamCaptureUnsupported;
}

Status check_implicit_capture(Stream& stream) {
  if (&stream != stream.context.legacy.get()) return cuda::kSuccess;
  bool implicit = false;
  for (Stream* other : stream.context.streams) {
    if (other->capture == nullptr || !other->blocking()) continue;
    invalidate(*other->capture);
    implicit = true;
  }
  return implicit ? cuda::kStreamCaptureImplicit : cuda::kSuccess;
}

Status check_unsafe_in_capture() {
  const std::lock_guard lock(driver().mutex);
  bool refused = false;
  for (const auto& capture : captures()) {
    if (!forbids_unsafe_calls(*capture)) continue;
    invalidate(*capture);
    refused = true;
  }
  return refused ? cuda::kStreamCaptureUnsupported : cuda::kSuccess;
}

void end_capture_of(Stream& stream) {
  if (stream.capture == nullptr) return;
  const std::shared_ptr<Capture> capture = stream.capture;
  invalidate(*capture);
  if (capture->origin == &stream) return forget(capture);
  capture->streams.erase(&stream);
  stream.capture = nullptr;
}

Status thread_exchange_stream_capture_mode(cuda::CaptureMode* mode) {
  EGPU_STATUS(check_driver());
  if (mode == nullptr || *mode < cuda::kCaptureGlobal || *mode > cuda::kCaptureRelaxed)
    return cuda::kInvalidValue;
  std::swap(*mode, thread_mode);
  return cuda::kSuccess;
}

Status stream_begin_capture(cuda::Stream handle, cuda::CaptureMode mode) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  const std::lock_guard lock(driver().mutex);
  return begin(*stream, std::make_shared<Graph>(), {}, mode);
}

Status stream_begin_capture_to_graph(cuda::Stream handle, cuda::Graph graph_handle,
                                     const cuda::GraphNode* dependencies,
                                     const cuda::GraphEdge* edges, std::size_t count,
                                     cuda::CaptureMode mode) {
  StreamPointer stream;
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_stream(handle, stream));
  EGPU_STATUS(find_graph(graph_handle, graph));
  EGPU_STATUS(check_edges(edges, count));
  const std::lock_guard lock(driver().mutex);
  std::vector<Node*> tail;
  EGPU_STATUS(find_nodes(*graph, dependencies, count, tail));
  return begin(*stream, std::move(graph), std::move(tail), mode);
}

Status stream_end_capture(cuda::Stream handle, cuda::Graph* graph) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (graph == nullptr) return cuda::kInvalidValue;
  *graph = nullptr;
  const std::lock_guard lock(driver().mutex);
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr) return cuda::kIllegalState;
  if (capture->origin != stream.get()) {
    invalidate(*capture);
    return cuda::kStreamCaptureUnmatched;
  }
  if (capture->mode != cuda::kCaptureRelaxed && capture->thread != this_thread())
    return cuda::kStreamCaptureWrongThread;
  const bool valid = capture->status == cuda::kCaptureActive;
  const bool joined = is_joined(*capture);
  forget(capture);
  if (!valid) return cuda::kStreamCaptureInvalidated;
  if (!joined) return cuda::kStreamCaptureUnjoined;
  *graph = publish_graph(capture->graph);
  return cuda::kSuccess;
}

Status stream_is_capturing(cuda::Stream handle, cuda::CaptureStatus* status) {
  return stream_get_capture_info(handle, status, nullptr);
}

Status stream_get_capture_info(cuda::Stream handle, cuda::CaptureStatus* status,
                               std::uint64_t* id) {
  return stream_get_capture_info_v2(handle, status, id, nullptr, nullptr, nullptr);
}

Status stream_get_capture_info_v2(cuda::Stream handle, cuda::CaptureStatus* status,
                                  std::uint64_t* id, cuda::Graph* graph,
                                  const cuda::GraphNode** dependencies, std::size_t* count) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (status == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  EGPU_STATUS(check_implicit_capture(*stream));
  if (stream->capture == nullptr) {
    *status = cuda::kNotCapturing;
    return cuda::kSuccess;
  }
  *status = stream->capture->status;
  if (id != nullptr) *id = stream->capture->id;
  if (*status != cuda::kCaptureActive) return cuda::kSuccess;
  if (graph != nullptr) *graph = publish_graph(stream->capture->graph);
  // A node's handle is its address.
  if (dependencies != nullptr)
    *dependencies = reinterpret_cast<const cuda::GraphNode*>(stream->tail.data());
  if (count != nullptr) *count = stream->tail.size();
  return cuda::kSuccess;
}

Status stream_get_capture_info_v3(cuda::Stream handle, cuda::CaptureStatus* status,
                                  std::uint64_t* id, cuda::Graph* graph,
                                  const cuda::GraphNode** dependencies,
                                  const cuda::GraphEdge** edges, std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;  // all of the plain kind
  return stream_get_capture_info_v2(handle, status, id, graph, dependencies, count);
}

Status stream_update_capture_dependencies(cuda::Stream handle, cuda::GraphNode* dependencies,
                                          std::size_t count, unsigned flags) {
  return stream_update_capture_dependencies_v2(handle, dependencies, nullptr, count, flags);
}

Status stream_update_capture_dependencies_v2(cuda::Stream handle, cuda::GraphNode* dependencies,
                                             const cuda::GraphEdge* edges, std::size_t count,
                                             unsigned flags) {
  constexpr unsigned kSet = 1;  // CU_STREAM_SET_CAPTURE_DEPENDENCIES; 0: add
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (flags > kSet) return cuda::kInvalidValue;
  EGPU_STATUS(check_edges(edges, count));
  const std::lock_guard lock(driver().mutex);
  if (stream->capture == nullptr) return cuda::kIllegalState;
  EGPU_STATUS(check_capture(*stream));
  std::vector<Node*> nodes;
  EGPU_STATUS(find_nodes(*stream->capture->graph, dependencies, count, nodes));
  if (flags == kSet) stream->tail.clear();
  stream->tail.insert(stream->tail.end(), nodes.begin(), nodes.end());
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
