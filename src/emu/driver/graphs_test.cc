// Graphs made by capture and by nodes.
#include "emu/driver/test_graph.h"

namespace egpu::emu::driver {
namespace {

using Graphs = GraphTest;

TEST_F(Graphs, AreCapturedAndReplayed) {
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_EQ(capture_status(stream_), cuda::kCaptureActive);
  EXPECT_OK(launch_twice(stream_));
  EXPECT_OK(launch_add(stream_, 3));
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuStreamEndCapture(stream_, &graph));
  EXPECT_EQ(capture_status(stream_), cuda::kNotCapturing);
  EXPECT_EQ(word(), 1U);  // nothing ran yet
  EXPECT_EQ(node_count(graph), 2U);
  launch(graph, 3);  // ((1 * 2 + 3) * 2 + 3) * 2 + 3
  EXPECT_EQ(word(), 29U);
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_STATUS(cuGraphDestroy(graph), cuda::kInvalidValue);
}

TEST_F(Graphs, CaptureStreamsThatForkAndJoin) {
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_OK(launch_twice(stream_));
  EXPECT_OK(cuEventRecord(event_, stream_));
  EXPECT_OK(cuStreamWaitEvent(other_, event_, 0));
  EXPECT_EQ(capture_status(other_), cuda::kCaptureActive);
  EXPECT_OK(launch_add(other_, 10));
  EXPECT_OK(cuEventRecord(joined_, other_));
  EXPECT_OK(cuStreamWaitEvent(stream_, joined_, 0));
  EXPECT_OK(launch_twice(stream_));
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuStreamEndCapture(stream_, &graph));
  EXPECT_EQ(capture_status(other_), cuda::kNotCapturing);
  std::size_t edges = 0;
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 3U);  // twice to add, both to the second twice
  launch(graph);
  EXPECT_EQ(word(), 24U);
}

TEST_F(Graphs, MustBeJoined) {
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_OK(launch_twice(stream_));
  EXPECT_OK(cuEventRecord(event_, stream_));
  EXPECT_OK(cuStreamWaitEvent(other_, event_, 0));
  EXPECT_OK(launch_twice(other_));
  cuda::Graph graph = nullptr;
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(capture_status(other_), cuda::kNotCapturing);
}

TEST_F(Graphs, AreNotCapturedThroughSynchronisation) {
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_STATUS(cuStreamSynchronize(stream_), cuda::kStreamCaptureUnsupported);
  EXPECT_STATUS(launch_twice(stream_), cuda::kStreamCaptureInvalidated);
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureInvalidated);
  EXPECT_OK(launch_twice(stream_));

  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_STATUS(cuStreamEndCapture(other_, &graph), cuda::kIllegalState);
  DevicePointer memory = 0;
  EXPECT_STATUS(cuMemAlloc_v2(&memory, 4), cuda::kStreamCaptureUnsupported);
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureInvalidated);
}

TEST_F(Graphs, ForbidUnsafeCallsByMode) {
  cuda::Graph graph = nullptr;
  DevicePointer memory = 0;
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureRelaxed));
  EXPECT_OK(cuMemAlloc_v2(&memory, 4));
  EXPECT_OK(cuStreamEndCapture(stream_, &graph));

  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureThreadLocal));
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context_));
    EXPECT_OK(cuMemAlloc_v2(&memory, 4));
  }).join();
  EXPECT_OK(cuStreamEndCapture(stream_, &graph));

  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context_));
    cuda::CaptureMode mode = cuda::kCaptureRelaxed;
    EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, cuda::kCaptureGlobal);
    EXPECT_OK(cuMemAlloc_v2(&memory, 4));
    EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_STATUS(cuMemAlloc_v2(&memory, 4), cuda::kStreamCaptureUnsupported);
  }).join();
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureInvalidated);
}

TEST_F(Graphs, AreNotMadeOfTheLegacyStream) {
  cuda::Stream blocking = nullptr;
  ASSERT_OK(cuStreamCreate(&blocking, 0));
  EXPECT_STATUS(cuStreamBeginCapture_v2(nullptr, cuda::kCaptureGlobal),
                cuda::kStreamCaptureUnsupported);
  ASSERT_OK(cuStreamBeginCapture_v2(blocking, cuda::kCaptureRelaxed));
  EXPECT_STATUS(launch_twice(nullptr), cuda::kStreamCaptureImplicit);
  cuda::Graph graph = nullptr;
  EXPECT_STATUS(cuStreamEndCapture(blocking, &graph), cuda::kStreamCaptureInvalidated);
}

TEST_F(Graphs, DoNotMixWithOtherWork) {
  cuda::Graph graph = nullptr;
  EXPECT_OK(cuEventRecord(event_, other_));
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_STATUS(cuStreamWaitEvent(stream_, event_, 0), cuda::kStreamCaptureIsolation);
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureInvalidated);

  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureRelaxed));
  ASSERT_OK(cuStreamBeginCapture_v2(other_, cuda::kCaptureRelaxed));
  EXPECT_OK(cuEventRecord(event_, stream_));
  EXPECT_STATUS(cuEventQuery(event_), cuda::kCapturedEvent);
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureInvalidated);
  EXPECT_OK(cuStreamEndCapture(other_, &graph));

  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureRelaxed));
  ASSERT_OK(cuStreamBeginCapture_v2(other_, cuda::kCaptureRelaxed));
  EXPECT_OK(cuEventRecord(event_, stream_));
  EXPECT_STATUS(cuStreamWaitEvent(other_, event_, 0), cuda::kStreamCaptureMerge);
  EXPECT_STATUS(cuStreamEndCapture(stream_, &graph), cuda::kStreamCaptureInvalidated);
  EXPECT_STATUS(cuStreamEndCapture(other_, &graph), cuda::kStreamCaptureInvalidated);
}

TEST_F(Graphs, AreMadeOfNodes) {
  unsigned out = 0;
  unsigned seen = 0;
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  cuda::GraphNode fill = nullptr;
  const cuda::MemsetNodeParameters filling{
      .destination = word_, .pitch = 0, .value = 21, .element_size = 4, .width = 1, .height = 1};
  ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filling, context_));
  cuda::GraphNode kernel = nullptr;
  const cuda::KernelNodeParameters running = twice_node();
  ASSERT_OK(cuGraphAddKernelNode_v2(&kernel, graph, &fill, 1, &running));
  cuda::GraphNode copy = nullptr;
  cuda::Copy3d copying{};
  copying.source.type = cuda::kMemoryDevice;
  copying.source.device = word_;
  copying.destination.type = cuda::kMemoryHost;
  copying.destination.host = &out;
  copying.width = 4;
  copying.height = copying.depth = 1;
  ASSERT_OK(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &copying, context_));
  std::pair<unsigned*, unsigned*> pointers{&out, &seen};
  const cuda::HostNodeParameters calling{
      .function =
          [](void* data) {
            auto* pair = static_cast<std::pair<unsigned*, unsigned*>*>(data);
            *pair->second = *pair->first + 1;
          },
      .data = &pointers};
  cuda::GraphNode host = nullptr;
  ASSERT_OK(cuGraphAddHostNode(&host, graph, &copy, 1, &calling));
  launch(graph);
  EXPECT_EQ(out, 42U);
  EXPECT_EQ(seen, 43U);

  cuda::GraphNodeType type = -1;
  EXPECT_OK(cuGraphNodeGetType(copy, &type));
  EXPECT_EQ(type, cuda::kNodeMemcpy);
  cuda::KernelNodeParameters read{};
  EXPECT_OK(cuGraphKernelNodeGetParams_v2(kernel, &read));
  EXPECT_EQ(read.launch.function, twice_);
  EXPECT_EQ(*static_cast<DevicePointer*>(read.launch.parameters[0]), word_);
  cuda::GraphNode nodes[8] = {};
  std::size_t count = 8;
  EXPECT_OK(cuGraphGetRootNodes(graph, nodes, &count));
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(nodes[0], fill);
  EXPECT_EQ(nodes[1], nullptr);
  EXPECT_OK(cuGraphNodeGetDependentNodes(kernel, nodes, &(count = 8)));
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(nodes[0], copy);
  EXPECT_OK(cuGraphDestroyNode(copy));
  EXPECT_EQ(node_count(graph), 3U);
  EXPECT_STATUS(cuGraphNodeGetType(copy, &type), cuda::kInvalidValue);
}

TEST_F(Graphs, MayNotGoRoundInCircles) {
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  cuda::GraphNode first = nullptr;
  cuda::GraphNode second = nullptr;
  ASSERT_OK(cuGraphAddEmptyNode(&first, graph, nullptr, 0));
  ASSERT_OK(cuGraphAddEmptyNode(&second, graph, &first, 1));
  EXPECT_STATUS(cuGraphAddDependencies(graph, &first, &second, 1), cuda::kInvalidValue);
  EXPECT_OK(cuGraphAddDependencies(graph, &second, &first, 1));
  cuda::GraphExec exec = nullptr;
  EXPECT_STATUS(cuGraphInstantiateWithFlags(&exec, graph, 0), cuda::kInvalidValue);
  EXPECT_OK(cuGraphRemoveDependencies(graph, &second, &first, 1));
  EXPECT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
}

TEST_F(Graphs, AreClonedAndNested) {
  cuda::Graph inner = nullptr;
  ASSERT_OK(cuGraphCreate(&inner, 0));
  cuda::GraphNode kernel = nullptr;
  const cuda::KernelNodeParameters running = twice_node();
  ASSERT_OK(cuGraphAddKernelNode_v2(&kernel, inner, nullptr, 0, &running));
  cuda::Graph clone = nullptr;
  ASSERT_OK(cuGraphClone(&clone, inner));
  cuda::GraphNode cloned = nullptr;
  EXPECT_OK(cuGraphNodeFindInClone(&cloned, kernel, clone));
  EXPECT_NE(cloned, kernel);

  cuda::Graph outer = nullptr;
  ASSERT_OK(cuGraphCreate(&outer, 0));
  cuda::GraphNode first = nullptr;
  cuda::GraphNode second = nullptr;
  ASSERT_OK(cuGraphAddChildGraphNode(&first, outer, nullptr, 0, inner));
  ASSERT_OK(cuGraphAddChildGraphNode(&second, outer, &first, 1, clone));
  cuda::Graph child = nullptr;
  EXPECT_OK(cuGraphChildGraphNodeGetGraph(first, &child));
  EXPECT_NE(child, inner);
  EXPECT_EQ(node_count(child), 1U);
  EXPECT_OK(cuGraphDestroy(inner));
  launch(outer);
  EXPECT_EQ(word(), 4U);
}

TEST_F(Graphs, ChangeWhenTheyAreInstantiated) {
  const DevicePointer other_word = upload(std::vector<unsigned>{100});
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  cuda::GraphNode kernel = nullptr;
  cuda::KernelNodeParameters running = twice_node();
  ASSERT_OK(cuGraphAddKernelNode_v2(&kernel, graph, nullptr, 0, &running));
  cuda::GraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));

  DevicePointer target = other_word;
  void* parameters[] = {&target};
  running.launch.parameters = parameters;
  EXPECT_OK(cuGraphExecKernelNodeSetParams_v2(exec, kernel, &running));
  EXPECT_OK(cuGraphLaunch(exec, stream_));
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(word(), 1U);
  EXPECT_EQ(download<unsigned>(other_word, 1).front(), 200U);

  EXPECT_OK(cuGraphNodeSetEnabled(exec, kernel, 0));
  EXPECT_OK(cuGraphLaunch(exec, stream_));
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(download<unsigned>(other_word, 1).front(), 200U);
  EXPECT_OK(cuGraphNodeSetEnabled(exec, kernel, 1));

  cuda::GraphUpdateResult result{};
  EXPECT_OK(cuGraphExecUpdate_v2(exec, graph, &result));  // the graph still has the first word
  EXPECT_EQ(result.result, cuda::kUpdateSuccess);
  EXPECT_OK(cuGraphLaunch(exec, stream_));
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(word(), 2U);
  cuda::GraphNode more = nullptr;
  ASSERT_OK(cuGraphAddEmptyNode(&more, graph, &kernel, 1));
  EXPECT_STATUS(cuGraphExecUpdate_v2(exec, graph, &result), cuda::kGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cuda::kUpdateTopologyChanged);
}

TEST_F(Graphs, RecordEventsAndWaitForThem) {
  cuda::Graph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  cuda::GraphNode wait = nullptr;
  cuda::GraphNode record = nullptr;
  ASSERT_OK(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event_));
  ASSERT_OK(cuGraphAddEventRecordNode(&record, graph, &wait, 1, joined_));
  cuda::GraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  Gate gate(other_);
  EXPECT_OK(cuEventRecord(event_, other_));
  EXPECT_OK(cuGraphLaunch(exec, stream_));
  EXPECT_STATUS(cuEventQuery(joined_), cuda::kNotReady);
  gate.open();
  EXPECT_OK(cuEventSynchronize(joined_));
  EXPECT_OK(cuStreamQuery(stream_));
}

TEST_F(Graphs, EndTheirCaptureWithTheContext) {
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  cuda::Stream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  ASSERT_OK(cuStreamBeginCapture_v2(stream, cuda::kCaptureGlobal));
  ASSERT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(cuMemFree_v2(allocate(4)));  // no capture forbids it
}

TEST_F(Graphs, AreCapturedInsideCaptures) {
  cuda::Graph inner = nullptr;
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_OK(launch_twice(stream_));
  ASSERT_OK(cuStreamEndCapture(stream_, &inner));
  cuda::GraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, inner, 0));
  cuda::Graph outer = nullptr;
  ASSERT_OK(cuStreamBeginCapture_v2(stream_, cuda::kCaptureGlobal));
  EXPECT_OK(cuGraphLaunch(exec, stream_));
  EXPECT_OK(cuMemsetD32Async(word_, 5, 1, stream_));
  EXPECT_OK(cuGraphLaunch(exec, stream_));
  ASSERT_OK(cuStreamEndCapture(stream_, &outer));
  launch(outer);
  EXPECT_EQ(word(), 10U);
}

}  // namespace
}  // namespace egpu::emu::driver
