// What nodes of graphs do can be read and changed, in a graph and in an instantiated one.
#include "emu/driver/test_graph.h"

namespace egpu::emu::driver {
namespace {

class GraphNodes : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_OK(cuGraphCreate(&graph_, 0));
  }

  void instantiate() { ASSERT_OK(cuGraphInstantiateWithFlags(&exec_, graph_, 0)); }
  void launch_exec() {
    EXPECT_OK(cuGraphLaunch(exec_, stream_));
    EXPECT_OK(cuStreamSynchronize(stream_));
  }

  cuda::MemsetNodeParameters fill_with(unsigned value) const {
    return {.destination = word_,
            .pitch = 0,
            .value = value,
            .element_size = 4,
            .width = 1,
            .height = 1};
  }
  cuda::Copy3d copy_to(unsigned& host) const {
    cuda::Copy3d copy{};
    copy.source.type = cuda::kMemoryDevice;
    copy.source.device = word_;
    copy.destination.type = cuda::kMemoryHost;
    copy.destination.host = &host;
    copy.width = 4;
    copy.height = copy.depth = 1;
    return copy;
  }
  static cuda::HostNodeParameters set_to_seven(unsigned& number) {
    return {.function = [](void* data) { *static_cast<unsigned*>(data) = 7; }, .data = &number};
  }

  cuda::Graph graph_ = nullptr;
  cuda::GraphExec exec_ = nullptr;
  cuda::GraphNode node_ = nullptr;
};

TEST_F(GraphNodes, OfFillsChange) {
  cuda::MemsetNodeParameters fill = fill_with(3);
  ASSERT_OK(cuGraphAddMemsetNode(&node_, graph_, nullptr, 0, &fill, context_));
  cuda::MemsetNodeParameters read{};
  EXPECT_OK(cuGraphMemsetNodeGetParams(node_, &read));
  EXPECT_EQ(read.value, 3U);
  fill = fill_with(4);
  EXPECT_OK(cuGraphMemsetNodeSetParams(node_, &fill));
  instantiate();
  launch_exec();
  EXPECT_EQ(word(), 4U);
  fill = fill_with(5);
  EXPECT_OK(cuGraphExecMemsetNodeSetParams(exec_, node_, &fill, context_));
  launch_exec();
  EXPECT_EQ(word(), 5U);
  EXPECT_OK(cuGraphMemsetNodeGetParams(node_, &read));
  EXPECT_EQ(read.value, 4U);  // the graph keeps its own
  fill.element_size = 3;
  EXPECT_STATUS(cuGraphMemsetNodeSetParams(node_, &fill), cuda::kInvalidValue);
}

TEST_F(GraphNodes, OfCopiesChange) {
  unsigned first = 0;
  unsigned second = 0;
  unsigned third = 0;
  cuda::Copy3d copy = copy_to(first);
  ASSERT_OK(cuGraphAddMemcpyNode(&node_, graph_, nullptr, 0, &copy, context_));
  copy = copy_to(second);
  EXPECT_OK(cuGraphMemcpyNodeSetParams(node_, &copy));
  cuda::Copy3d read{};
  EXPECT_OK(cuGraphMemcpyNodeGetParams(node_, &read));
  EXPECT_EQ(read.destination.host, &second);
  instantiate();
  launch_exec();
  copy = copy_to(third);
  EXPECT_OK(cuGraphExecMemcpyNodeSetParams(exec_, node_, &copy, context_));
  launch_exec();
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(second, 1U);
  EXPECT_EQ(third, 1U);
}

TEST_F(GraphNodes, OfHostFunctionsChange) {
  unsigned first = 0;
  unsigned second = 0;
  unsigned third = 0;
  cuda::HostNodeParameters call = set_to_seven(first);
  ASSERT_OK(cuGraphAddHostNode(&node_, graph_, nullptr, 0, &call));
  call = set_to_seven(second);
  EXPECT_OK(cuGraphHostNodeSetParams(node_, &call));
  cuda::HostNodeParameters read{};
  EXPECT_OK(cuGraphHostNodeGetParams(node_, &read));
  EXPECT_EQ(read.data, &second);
  instantiate();
  launch_exec();
  call = set_to_seven(third);
  EXPECT_OK(cuGraphExecHostNodeSetParams(exec_, node_, &call));
  launch_exec();
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(second, 7U);
  EXPECT_EQ(third, 7U);
}

TEST_F(GraphNodes, OfEventsChange) {
  cuda::GraphNode wait = nullptr;
  cuda::GraphNode record = nullptr;
  ASSERT_OK(cuGraphAddEventWaitNode(&wait, graph_, nullptr, 0, joined_));
  ASSERT_OK(cuGraphAddEventRecordNode(&record, graph_, &wait, 1, event_));
  EXPECT_OK(cuGraphEventWaitNodeSetEvent(wait, event_));
  EXPECT_OK(cuGraphEventRecordNodeSetEvent(record, joined_));
  cuda::Event found = nullptr;
  EXPECT_OK(cuGraphEventWaitNodeGetEvent(wait, &found));
  EXPECT_EQ(found, event_);
  EXPECT_OK(cuGraphEventRecordNodeGetEvent(record, &found));
  EXPECT_EQ(found, joined_);
  EXPECT_STATUS(cuGraphEventRecordNodeGetEvent(wait, &found), cuda::kInvalidValue);
  instantiate();
  {
    const Gate gate(other_);
    EXPECT_OK(cuEventRecord(event_, other_));
    EXPECT_OK(cuGraphLaunch(exec_, stream_));
    EXPECT_STATUS(cuEventQuery(joined_), cuda::kNotReady);
  }
  EXPECT_OK(cuEventSynchronize(joined_));

  EXPECT_OK(cuGraphExecEventWaitNodeSetEvent(exec_, wait, joined_));
  EXPECT_OK(cuGraphExecEventRecordNodeSetEvent(exec_, record, event_));
  const Gate gate(other_);
  EXPECT_OK(cuEventRecord(joined_, other_));
  EXPECT_OK(cuGraphLaunch(exec_, stream_));
  EXPECT_STATUS(cuEventQuery(event_), cuda::kNotReady);
}

TEST_F(GraphNodes, OfKernelsChange) {
  cuda::KernelNodeParametersV1 parameters = twice_node().launch;
  ASSERT_OK(cuGraphAddKernelNode(&node_, graph_, nullptr, 0, &parameters));
  cuda::KernelNodeParametersV1 read{};
  EXPECT_OK(cuGraphKernelNodeGetParams(node_, &read));
  EXPECT_EQ(read.function, twice_);
  unsigned value = 10;
  unsigned count = 1;
  void* of_add[] = {&word_, &value, &count};
  parameters.function = add_;
  parameters.parameters = of_add;
  EXPECT_OK(cuGraphKernelNodeSetParams(node_, &parameters));
  instantiate();
  launch_exec();
  EXPECT_EQ(word(), 11U);
  value = 20;
  EXPECT_OK(cuGraphExecKernelNodeSetParams(exec_, node_, &parameters));
  launch_exec();
  EXPECT_EQ(word(), 31U);
  const cuda::KernelNodeParameters twice = twice_node();
  EXPECT_OK(cuGraphKernelNodeSetParams_v2(node_, &twice));
  EXPECT_OK(cuGraphKernelNodeGetParams(node_, &read));
  EXPECT_EQ(read.function, twice_);
  parameters.block_x = 2048;
  EXPECT_STATUS(cuGraphKernelNodeSetParams(node_, &parameters), cuda::kInvalidValue);
}

TEST_F(GraphNodes, OfKernelsHaveLaunchAttributes) {
  const cuda::KernelNodeParameters twice = twice_node();
  cuda::GraphNode second = nullptr;
  ASSERT_OK(cuGraphAddKernelNode_v2(&node_, graph_, nullptr, 0, &twice));
  ASSERT_OK(cuGraphAddKernelNode_v2(&second, graph_, &node_, 1, &twice));
  cuda::LaunchAttributeValue value{};
  value.number = 1;
  EXPECT_OK(cuGraphKernelNodeSetAttribute(node_, cuda::kLaunchCooperative, &value));
  value.number = -2;
  EXPECT_OK(cuGraphKernelNodeSetAttribute(node_, cuda::kLaunchPriority, &value));
  EXPECT_OK(cuGraphKernelNodeCopyAttributes(second, node_));
  for (const cuda::GraphNode node : {node_, second}) {
    EXPECT_OK(cuGraphKernelNodeGetAttribute(node, cuda::kLaunchCooperative, &value));
    EXPECT_EQ(value.number, 1);
    EXPECT_OK(cuGraphKernelNodeGetAttribute(node, cuda::kLaunchPriority, &value));
    EXPECT_EQ(value.number, -2);
  }
  value.dimension[0] = 2;  // one block is no multiple
  value.dimension[1] = value.dimension[2] = 1;
  EXPECT_STATUS(cuGraphKernelNodeSetAttribute(node_, cuda::kLaunchClusterDimension, &value),
                cuda::kInvalidValue);
  launch(graph_);
  EXPECT_EQ(word(), 4U);
}

TEST_F(GraphNodes, OfChildGraphsChange) {
  cuda::Graph one = nullptr;
  cuda::Graph other = nullptr;
  cuda::GraphNode unused = nullptr;
  const cuda::MemsetNodeParameters five = fill_with(5);
  const cuda::MemsetNodeParameters six = fill_with(6);
  ASSERT_OK(cuGraphCreate(&one, 0));
  ASSERT_OK(cuGraphCreate(&other, 0));
  ASSERT_OK(cuGraphAddMemsetNode(&unused, one, nullptr, 0, &five, context_));
  ASSERT_OK(cuGraphAddMemsetNode(&unused, other, nullptr, 0, &six, context_));
  ASSERT_OK(cuGraphAddChildGraphNode(&node_, graph_, nullptr, 0, one));
  instantiate();
  launch_exec();
  EXPECT_EQ(word(), 5U);
  EXPECT_OK(cuGraphExecChildGraphNodeSetParams(exec_, node_, other));
  launch_exec();
  EXPECT_EQ(word(), 6U);
}

// cuGraphAddNode takes any kind.
TEST_F(GraphNodes, OfAnyKindAreAddedAndChangedByOneCall) {
  unsigned seen = 0;
  cuda::GraphNodeParameters fill{};
  fill.type = cuda::kNodeMemset;
  fill.memset.parameters = fill_with(20);
  cuda::GraphNodeParameters kernel{};
  kernel.type = cuda::kNodeKernel;
  kernel.kernel = twice_node();
  cuda::GraphNodeParameters copy{};
  copy.type = cuda::kNodeMemcpy;
  copy.memcpy.copy = copy_to(seen);
  cuda::GraphNode first = nullptr;
  cuda::GraphNode second = nullptr;
  cuda::GraphNode third = nullptr;
  ASSERT_OK(cuGraphAddNode(&first, graph_, nullptr, 0, &fill));
  cuda::GraphEdge edge{};
  ASSERT_OK(cuGraphAddNode_v2(&second, graph_, &first, &edge, 1, &kernel));
  ASSERT_OK(cuGraphAddNode(&third, graph_, &second, 1, &copy));
  edge.type = 1;  // programmatic
  EXPECT_STATUS(cuGraphAddNode_v2(&node_, graph_, &first, &edge, 1, &kernel), cuda::kNotSupported);
  instantiate();
  launch_exec();
  EXPECT_EQ(seen, 40U);
  fill.memset.parameters.value = 21;
  EXPECT_OK(cuGraphExecNodeSetParams(exec_, first, &fill));
  launch_exec();
  EXPECT_EQ(seen, 42U);
  fill.memset.parameters.value = 22;
  EXPECT_OK(cuGraphNodeSetParams(first, &fill));
  launch(graph_);
  EXPECT_EQ(seen, 44U);
  EXPECT_STATUS(cuGraphNodeSetParams(first, &copy), cuda::kInvalidValue);  // of another kind
  cuda::GraphNodeParameters unknown{};
  unknown.type = 99;
  EXPECT_STATUS(cuGraphAddNode(&node_, graph_, nullptr, 0, &unknown), cuda::kNotSupported);
}

TEST_F(GraphNodes, TellTheirEdges) {
  cuda::GraphNode second = nullptr;
  ASSERT_OK(cuGraphAddEmptyNode(&node_, graph_, nullptr, 0));
  ASSERT_OK(cuGraphAddEmptyNode(&second, graph_, nullptr, 0));
  cuda::GraphEdge edge{};
  EXPECT_OK(cuGraphAddDependencies_v2(graph_, &node_, &second, &edge, 1));
  cuda::GraphNode from = nullptr;
  cuda::GraphNode to = nullptr;
  std::size_t count = 1;
  EXPECT_OK(cuGraphGetEdges_v2(graph_, &from, &to, &edge, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(from, node_);
  EXPECT_EQ(to, second);
  EXPECT_OK(cuGraphNodeGetDependencies(second, &from, &count));
  EXPECT_EQ(from, node_);
  EXPECT_OK(cuGraphNodeGetDependencies_v2(second, &from, &edge, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cuGraphNodeGetDependentNodes_v2(node_, &to, &edge, &count));
  EXPECT_EQ(to, second);
  EXPECT_OK(cuGraphRemoveDependencies_v2(graph_, &node_, &second, &edge, 1));
  EXPECT_OK(cuGraphNodeGetDependencies(second, nullptr, &count));
  EXPECT_EQ(count, 0U);
}

TEST_F(GraphNodes, OfInstantiatedGraphsAreSwitchedOff) {
  const cuda::MemsetNodeParameters fill = fill_with(9);
  ASSERT_OK(cuGraphAddMemsetNode(&node_, graph_, nullptr, 0, &fill, context_));
  cuda::InstantiateParameters parameters{
      .flags = 8,  // CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
      .upload_stream = nullptr,
      .error_node = nullptr,
      .result = -1};
  ASSERT_OK(cuGraphInstantiateWithParams(&exec_, graph_, &parameters));
  EXPECT_EQ(parameters.result, 0);
  std::uint64_t flags = 0;
  EXPECT_OK(cuGraphExecGetFlags(exec_, &flags));
  EXPECT_EQ(flags, 8U);
  EXPECT_OK(cuGraphUpload(exec_, stream_));
  EXPECT_OK(cuGraphNodeSetEnabled(exec_, node_, 0));
  unsigned enabled = 1;
  EXPECT_OK(cuGraphNodeGetEnabled(exec_, node_, &enabled));
  EXPECT_EQ(enabled, 0U);
  launch_exec();
  EXPECT_EQ(word(), 1U);
  cuda::GraphNode error_node = node_;
  int result = -1;
  EXPECT_OK(cuGraphExecUpdate(exec_, graph_, &error_node, &result));
  EXPECT_EQ(result, cuda::kUpdateSuccess);
  EXPECT_EQ(error_node, nullptr);
  parameters.flags = 16;
  EXPECT_STATUS(cuGraphInstantiateWithParams(&exec_, graph_, &parameters), cuda::kInvalidValue);
  EXPECT_EQ(parameters.result, 1);
}

TEST_F(GraphNodes, AreAddedToACaptureByHand) {
  const cuda::MemsetNodeParameters fill = fill_with(30);
  ASSERT_OK(cuGraphAddMemsetNode(&node_, graph_, nullptr, 0, &fill, context_));
  ASSERT_OK(cuStreamBeginCaptureToGraph(stream_, graph_, &node_, nullptr, 1, cuda::kCaptureGlobal));
  cuda::CaptureStatus status = -1;
  std::uint64_t id = 0;
  EXPECT_OK(cuStreamGetCaptureInfo(stream_, &status, &id));
  EXPECT_EQ(status, cuda::kCaptureActive);
  EXPECT_NE(id, 0U);
  cuda::Graph graph = nullptr;
  const cuda::GraphNode* last = nullptr;
  const cuda::GraphEdge* edges = nullptr;
  std::size_t count = 0;
  EXPECT_OK(cuStreamGetCaptureInfo_v3(stream_, &status, &id, &graph, &last, &edges, &count));
  EXPECT_EQ(graph, graph_);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(*last, node_);

  // A node between the two that the stream captures.
  EXPECT_OK(launch_twice(stream_));
  EXPECT_OK(cuStreamGetCaptureInfo_v2(stream_, &status, &id, &graph, &last, &count));
  ASSERT_EQ(count, 1U);
  cuda::KernelNodeParameters twice = twice_node();
  cuda::GraphNode between = nullptr;
  ASSERT_OK(cuGraphAddKernelNode_v2(&between, graph_, last, 1, &twice));
  EXPECT_OK(cuStreamUpdateCaptureDependencies(stream_, &between, 1, 1));
  EXPECT_OK(launch_add(stream_, 2));
  EXPECT_OK(cuStreamUpdateCaptureDependencies_v2(stream_, &node_, nullptr, 1, 0));
  EXPECT_OK(cuStreamGetCaptureInfo_v2(stream_, &status, &id, &graph, &last, &count));
  EXPECT_EQ(count, 2U);
  ASSERT_OK(cuStreamEndCapture(stream_, &graph));
  EXPECT_EQ(graph, graph_);
  EXPECT_EQ(node_count(graph_), 4U);
  launch(graph_);
  EXPECT_EQ(word(), 122U);  // 30 * 2 * 2 + 2
  EXPECT_STATUS(cuStreamUpdateCaptureDependencies(stream_, &between, 1, 1), cuda::kIllegalState);
}

}  // namespace
}  // namespace egpu::emu::driver
