// Streams, events and captures. Columns: emu/driver/functions.h.
#pragma once

#define EGPU_EMULATED_STREAM_FUNCTIONS(X, P)                                                       \
  X(cuStreamCreate, , 2000, stream_create, (cuda::Stream*, unsigned))                              \
  X(cuStreamCreateWithPriority, , 5050, stream_create_with_priority,                               \
    (cuda::Stream*, unsigned, int))                                                                \
  X(cuStreamDestroy, _v2, 4000, stream_destroy, (cuda::Stream))                                    \
  P(cuStreamQuery, , 2000, stream_query, _ptsz, (cuda::Stream))                                    \
  P(cuStreamSynchronize, , 2000, stream_synchronize, _ptsz, (cuda::Stream))                        \
  P(cuStreamWaitEvent, , 3020, stream_wait_event, _ptsz, (cuda::Stream, cuda::Event, unsigned))    \
  P(cuStreamAddCallback, , 5000, stream_add_callback, _ptsz,                                       \
    (cuda::Stream, cuda::StreamCallback, void*, unsigned))                                         \
  P(cuLaunchHostFunc, , 10000, launch_host_func, _ptsz, (cuda::Stream, cuda::HostFunction, void*)) \
  P(cuStreamGetPriority, , 5050, stream_get_priority, _ptsz, (cuda::Stream, int*))                 \
  P(cuStreamGetFlags, , 5050, stream_get_flags, _ptsz, (cuda::Stream, unsigned*))                  \
  P(cuStreamGetId, , 12000, stream_get_id, _ptsz, (cuda::Stream, unsigned long long*))             \
  P(cuStreamGetCtx, , 9020, stream_get_ctx, _ptsz, (cuda::Stream, cuda::Context*))                 \
  P(cuStreamGetDevice, , 12080, stream_get_device, _ptsz, (cuda::Stream, cuda::Device*))           \
  P(cuStreamAttachMemAsync, , 6000, stream_attach_mem_async, _ptsz,                                \
    (cuda::Stream, DevicePointer, std::size_t, unsigned))                                          \
  P(cuStreamGetAttribute, , 11000, stream_get_attribute, _ptsz,                                    \
    (cuda::Stream, cuda::LaunchAttributeId, cuda::LaunchAttributeValue*))                          \
  P(cuStreamSetAttribute, , 11000, stream_set_attribute, _ptsz,                                    \
    (cuda::Stream, cuda::LaunchAttributeId, const cuda::LaunchAttributeValue*))                    \
  P(cuStreamCopyAttributes, , 11000, stream_copy_attributes, _ptsz, (cuda::Stream, cuda::Stream))  \
  X(cuEventCreate, , 2000, event_create, (cuda::Event*, unsigned))                                 \
  X(cuEventDestroy, _v2, 4000, event_destroy, (cuda::Event))                                       \
  P(cuEventRecord, , 2000, event_record, _ptsz, (cuda::Event, cuda::Stream))                       \
  P(cuEventRecordWithFlags, , 11010, event_record_with_flags, _ptsz,                               \
    (cuda::Event, cuda::Stream, unsigned))                                                         \
  X(cuEventQuery, , 2000, event_query, (cuda::Event))                                              \
  X(cuEventSynchronize, , 2000, event_synchronize, (cuda::Event))                                  \
  X(cuEventElapsedTime, , 2000, event_elapsed_time, (float*, cuda::Event, cuda::Event))            \
  X(cuEventElapsedTime, _v2, 12080, event_elapsed_time, (float*, cuda::Event, cuda::Event))        \
  X(cuThreadExchangeStreamCaptureMode, , 10010, thread_exchange_stream_capture_mode,               \
    (cuda::CaptureMode*))                                                                          \
  P(cuStreamBeginCapture, _v2, 10010, stream_begin_capture, _ptsz,                                 \
    (cuda::Stream, cuda::CaptureMode))                                                             \
  P(cuStreamBeginCaptureToGraph, , 12030, stream_begin_capture_to_graph, _ptsz,                    \
    (cuda::Stream, cuda::Graph, const cuda::GraphNode*, const cuda::GraphEdge*, std::size_t,       \
     cuda::CaptureMode))                                                                           \
  P(cuStreamEndCapture, , 10000, stream_end_capture, _ptsz, (cuda::Stream, cuda::Graph*))          \
  P(cuStreamIsCapturing, , 10000, stream_is_capturing, _ptsz,                                      \
    (cuda::Stream, cuda::CaptureStatus*))                                                          \
  P(cuStreamGetCaptureInfo, , 10010, stream_get_capture_info, _ptsz,                               \
    (cuda::Stream, cuda::CaptureStatus*, std::uint64_t*))                                          \
  P(cuStreamGetCaptureInfo, _v2, 11030, stream_get_capture_info_v2, _ptsz,                         \
    (cuda::Stream, cuda::CaptureStatus*, std::uint64_t*, cuda::Graph*, const cuda::GraphNode**,    \
     std::size_t*))                                                                                \
  P(cuStreamGetCaptureInfo, _v3, 12030, stream_get_capture_info_v3, _ptsz,                         \
    (cuda::Stream, cuda::CaptureStatus*, std::uint64_t*, cuda::Graph*, const cuda::GraphNode**,    \
     const cuda::GraphEdge**, std::size_t*))                                                       \
  P(cuStreamUpdateCaptureDependencies, , 11030, stream_update_capture_dependencies, _ptsz,         \
    (cuda::Stream, cuda::GraphNode*, std::size_t, unsigned))                                       \
  P(cuStreamUpdateCaptureDependencies, _v2, 12030, stream_update_capture_dependencies_v2, _ptsz,   \
    (cuda::Stream, cuda::GraphNode*, const cuda::GraphEdge*, std::size_t, unsigned))
