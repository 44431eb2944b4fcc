// Streams, events, and captures of a stream's work.
#include <memory>
#include <tuple>

#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

constexpr unsigned kDefaultFlags = 0;

// What a callback of cudaStreamAddCallback() needs when it is called, once.
struct Callback {
  StreamCallback function;
  void* data;
};

void call_back(cuda::Stream stream, cuda::Status status, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->function(stream, status, callback->data);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaStreamCreate(cuda::Stream* stream) {
  return in_context([&]() -> Error { return cuStreamCreate(stream, kDefaultFlags); });
}

EGPU_API cudaStreamCreateWithFlags(cuda::Stream* stream, unsigned flags) {
  return in_context([&]() -> Error { return cuStreamCreate(stream, flags); });
}

EGPU_API cudaStreamCreateWithPriority(cuda::Stream* stream, unsigned flags, int priority) {
  return in_context([&]() -> Error { return cuStreamCreateWithPriority(stream, flags, priority); });
}

EGPU_API cudaStreamDestroy(cuda::Stream stream) {
  return in_context([&]() -> Error { return cuStreamDestroy_v2(stream); });
}

EGPU_API_FORMS(cudaStreamSynchronize, _ptsz, (cuda::Stream stream), (stream)) {
  return EGPU_FORM(cuStreamSynchronize, _ptsz)(stream);
}

EGPU_API_FORMS(cudaStreamQuery, _ptsz, (cuda::Stream stream), (stream)) {
  return EGPU_FORM(cuStreamQuery, _ptsz)(stream);
}

EGPU_API_FORMS(cudaStreamWaitEvent, _ptsz, (cuda::Stream stream, cuda::Event event, unsigned flags),
               (stream, event, flags)) {
  return EGPU_FORM(cuStreamWaitEvent, _ptsz)(stream, event, flags);
}

EGPU_API_FORMS(cudaStreamAddCallback, _ptsz,
               (cuda::Stream stream, StreamCallback function, void* data, unsigned flags),
               (stream, function, data, flags)) {
  if (function == nullptr) return kInvalidValue;
  auto callback = std::make_unique<Callback>(Callback{.function = function, .data = data});
  EGPU_CHECK(EGPU_FORM(cuStreamAddCallback, _ptsz)(stream, &call_back, callback.get(), flags));
  std::ignore = callback.release();  // call_back() has it
  return kSuccess;
}

EGPU_API_FORMS(cudaStreamGetPriority, _ptsz, (cuda::Stream stream, int* priority),
               (stream, priority)) {
  return EGPU_FORM(cuStreamGetPriority, _ptsz)(stream, priority);
}

EGPU_API_FORMS(cudaStreamGetFlags, _ptsz, (cuda::Stream stream, unsigned* flags), (stream, flags)) {
  return EGPU_FORM(cuStreamGetFlags, _ptsz)(stream, flags);
}

EGPU_API_FORMS(cudaStreamGetId, _ptsz, (cuda::Stream stream, unsigned long long* id),
               (stream, id)) {
  return EGPU_FORM(cuStreamGetId, _ptsz)(stream, id);
}

EGPU_API_FORMS(cudaStreamGetDevice, _ptsz, (cuda::Stream stream, int* device), (stream, device)) {
  return EGPU_FORM(cuStreamGetDevice, _ptsz)(stream, device);
}

EGPU_API_FORMS(cudaStreamGetAttribute, _ptsz,
               (cuda::Stream stream, cuda::LaunchAttributeId attribute,
                cuda::LaunchAttributeValue* value),
               (stream, attribute, value)) {
  return EGPU_FORM(cuStreamGetAttribute, _ptsz)(stream, attribute, value);
}

EGPU_API_FORMS(cudaStreamSetAttribute, _ptsz,
               (cuda::Stream stream, cuda::LaunchAttributeId attribute,
                const cuda::LaunchAttributeValue* value),
               (stream, attribute, value)) {
  return EGPU_FORM(cuStreamSetAttribute, _ptsz)(stream, attribute, value);
}

EGPU_API_FORMS(cudaStreamCopyAttributes, _ptsz, (cuda::Stream to, cuda::Stream from), (to, from)) {
  return EGPU_FORM(cuStreamCopyAttributes, _ptsz)(to, from);
}

EGPU_API_FORMS(cudaStreamBeginCapture, _ptsz, (cuda::Stream stream, cuda::CaptureMode mode),
               (stream, mode)) {
  return EGPU_FORM(cuStreamBeginCapture_v2, _ptsz)(stream, mode);
}

EGPU_API_FORMS(cudaStreamBeginCaptureToGraph, _ptsz,
               (cuda::Stream stream, cuda::Graph graph, const cuda::GraphNode* dependencies,
                const cuda::GraphEdge* edges, std::size_t count, cuda::CaptureMode mode),
               (stream, graph, dependencies, edges, count, mode)) {
  return EGPU_FORM(cuStreamBeginCaptureToGraph, _ptsz)(stream, graph, dependencies, edges, count,
                                                       mode);
}

EGPU_API_FORMS(cudaStreamEndCapture, _ptsz, (cuda::Stream stream, cuda::Graph* graph),
               (stream, graph)) {
  return EGPU_FORM(cuStreamEndCapture, _ptsz)(stream, graph);
}

EGPU_API_FORMS(cudaStreamIsCapturing, _ptsz, (cuda::Stream stream, cuda::CaptureStatus* status),
               (stream, status)) {
  return EGPU_FORM(cuStreamIsCapturing, _ptsz)(stream, status);
}

EGPU_API_FORMS(cudaStreamGetCaptureInfo, _ptsz,
               (cuda::Stream stream, cuda::CaptureStatus* status, std::uint64_t* id,
                cuda::Graph* graph, const cuda::GraphNode** dependencies,
                const cuda::GraphEdge** edges, std::size_t* count),
               (stream, status, id, graph, dependencies, edges, count)) {
  return EGPU_FORM(cuStreamGetCaptureInfo_v3, _ptsz)(stream, status, id, graph, dependencies, edges,
                                                     count);
}

EGPU_API_FORMS(cudaStreamUpdateCaptureDependencies, _ptsz,
               (cuda::Stream stream, cuda::GraphNode* dependencies, const cuda::GraphEdge* edges,
                std::size_t count, unsigned flags),
               (stream, dependencies, edges, count, flags)) {
  return EGPU_FORM(cuStreamUpdateCaptureDependencies_v2, _ptsz)(stream, dependencies, edges, count,
                                                                flags);
}

EGPU_API cudaEventCreate(cuda::Event* event) {
  return in_context([&]() -> Error { return cuEventCreate(event, kDefaultFlags); });
}

EGPU_API cudaEventCreateWithFlags(cuda::Event* event, unsigned flags) {
  return in_context([&]() -> Error { return cuEventCreate(event, flags); });
}

EGPU_API cudaEventDestroy(cuda::Event event) {
  return in_context([&]() -> Error { return cuEventDestroy_v2(event); });
}

EGPU_API_FORMS(cudaEventRecord, _ptsz, (cuda::Event event, cuda::Stream stream), (event, stream)) {
  return EGPU_FORM(cuEventRecord, _ptsz)(event, stream);
}

EGPU_API_FORMS(cudaEventRecordWithFlags, _ptsz,
               (cuda::Event event, cuda::Stream stream, unsigned flags), (event, stream, flags)) {
  return EGPU_FORM(cuEventRecordWithFlags, _ptsz)(event, stream, flags);
}

EGPU_API cudaEventQuery(cuda::Event event) {
  return in_context([&]() -> Error { return cuEventQuery(event); });
}

EGPU_API cudaEventSynchronize(cuda::Event event) {
  return in_context([&]() -> Error { return cuEventSynchronize(event); });
}

EGPU_API cudaEventElapsedTime(float* milliseconds, cuda::Event start, cuda::Event end) {
  return in_context([&]() -> Error { return cuEventElapsedTime(milliseconds, start, end); });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
