#include "cli/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "abi/map_layout.h"
#include "abi/snapshot.h"
#include "base/file.h"
#include "bpf/btf_builder.h"
#include "maps/fixture.h"
#include "maps/values.h"

namespace egpu::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const bpf::Object& kernelcount() {
  static const bpf::Object object = [] {
    const std::string path = EGPU_BINARY_DIR "/share/egpu/tools/kernelcount.bpf.o";
    return *bpf::load_object(*read_file(path), path);
  }();
  return object;
}

session::InstanceView instance_of(const bpf::Object& object, std::uint32_t process,
                                  std::uint32_t shards) {
  const auto specs = maps::map_specs(object);
  return {.process = process,
          .device = 0,
          .device_name = "NVIDIA H200",
          .device_uuid = "GPU-0",
          .shards = shards,
          .published = 3,
          .snapshot_time_ns = 1'000'000'000,
          .final = true,
          .slot = std::vector<std::byte>(abi::map_offset(specs.data(), specs.size(), shards)),
          .instrumented_launches = 2,
          .fallback_launches = 0};
}

// The bytes of a map's value.
template <class T>
T& value_in(session::InstanceView& instance, const bpf::Object& object, std::size_t map,
            std::uint32_t shard, std::uint64_t index) {
  const auto specs = maps::map_specs(object);
  return *reinterpret_cast<T*>(
      instance.slot.data() + abi::map_offset(specs.data(), map, instance.shards) +
      shard * abi::array_bytes(specs[map].value_size, specs[map].max_entries) +
      index * abi::value_stride(specs[map].value_size));
}

struct KernelCount {
  std::uint64_t launches;
  std::uint64_t threads;
};

// A run of kernelcount over two kernels that went well.
RunReport good_run() {
  RunReport report;
  report.object = &kernelcount();
  report.command = {"./vec_add"};
  report.end_time_ns = 2'500'000'000;
  report.session.kernels = {
      {.id = 0,
       .name = "_Z7vec_addPKfS0_Pfm",
       .demangled = "vec_add(float const*, float const*, float*, unsigned long)"},
      {.id = 1, .name = "plain", .demangled = "plain"}};
  report.session.processes = {{.pid = 71,
                               .command = "vec_add",
                               .orderly = true,
                               .end_time_ns = 2'000'000'000,
                               .modules = 1,
                               .replaced = 1}};
  session::InstanceView instance = instance_of(kernelcount(), 0, 2);
  value_in<KernelCount>(instance, kernelcount(), 0, 0, 0) = {1, 1000};
  value_in<KernelCount>(instance, kernelcount(), 0, 1, 0) = {0, 24};
  value_in<KernelCount>(instance, kernelcount(), 0, 1, 1) = {7, 70};
  report.session.instances.push_back(std::move(instance));
  return report;
}

TEST(RunReport, PrintsKernelsByName) {
  EXPECT_EQ(report_text(good_run(), {}),
            "kernels\n"
            "kernel                                                      launches  threads\n"
            "vec_add(float const*, float const*, float*, unsigned long)         1     1024\n"
            "plain                                                              7       70\n"
            "1022 zero entries not shown\n");
}

TEST(RunReport, TopShowsTheLargestAndTheSumOfTheRest) {
  RunReport report = good_run();
  report.top = 1;
  EXPECT_EQ(report_text(report, {}),
            "kernels\n"
            "kernel  launches  threads\n"
            "plain          7       70\n"
            "1 smaller entry not shown, launches in all 1\n"
            "1022 zero entries not shown\n");
  const auto map = nlohmann::json::parse(report_json(report))["maps"][0];
  ASSERT_EQ(map["rows"].size(), 1u);
  EXPECT_EQ(map["rows"][0]["kernel"], "plain");
  EXPECT_EQ(map["rest"], nlohmann::json({{"entries", 1}, {"field", "launches"}, {"sum", 1}}));
  report.top = 2;
  EXPECT_FALSE(nlohmann::json::parse(report_json(report))["maps"][0].contains("rest"));
}

TEST(RunReport, FitsNarrowTerminals) {
  const std::string text = report_text(good_run(), {.width = 40});
  EXPECT_THAT(text, HasSubstr("vec_add(f...ned long)         1     1024\n"));
  const std::string narrow = report_text(good_run(), {.width = 20});
  EXPECT_THAT(narrow, HasSubstr("plain\n  field     value\n  launches  7\n"));
}

TEST(RunReport, AddsProcessesUp) {
  RunReport report = good_run();
  report.session.processes.push_back(report.session.processes[0]);
  report.session.instances.push_back(report.session.instances[0]);
  EXPECT_THAT(report_text(report, {}), HasSubstr("   14      140\n"));
}

TEST(RunReport, SaysWhatAKilledProgramMayHaveLost) {
  RunReport report = good_run();
  report.end = {.code = 0, .signal = SIGKILL};
  report.session.instances[0].final = false;
  report.session.processes[0].orderly = false;
  const std::string text = report_text(report, {});
  EXPECT_THAT(text, HasSubstr("vec_add(float const*"));
  EXPECT_THAT(text, HasSubstr("ended by signal 9"));
  EXPECT_THAT(text, HasSubstr("process 71 (vec_add), device 0: it ended without a last snapshot; "
                              "counts of its last 1.0 s may be missing"));
  EXPECT_FALSE(is_complete(report));
}

TEST(RunReport, SaysPlainlyWhenNothingWasObserved) {
  RunReport report = good_run();
  report.session = {};
  EXPECT_THAT(report_text(report, {}), HasSubstr("did not initialise CUDA"));
  report.session.processes = {
      {.pid = 1, .command = "a", .orderly = true, .end_time_ns = 1, .modules = 3, .replaced = 0}};
  EXPECT_THAT(report_text(report, {}), HasSubstr("no kernel was probed: 3 modules loaded"));
}

TEST(RunReport, ReportsFallbacksAndNotes) {
  RunReport report = good_run();
  report.session.instances[0].fallback_launches = 4;
  for (int i = 0; i < 12; ++i)
    report.session.notes.push_back({.process = 0, .text = "declined\n" + std::to_string(i)});
  const std::string text = report_text(report, {});
  EXPECT_THAT(text, HasSubstr("not counted: 4"));
  EXPECT_THAT(text, HasSubstr("declined\\x0a9"));
  EXPECT_THAT(text, Not(HasSubstr("declined\\x0a11")));
  EXPECT_THAT(text, HasSubstr("2 notes not shown"));
  report.verbose = true;
  EXPECT_THAT(report_text(report, {}), HasSubstr("declined\\x0a11"));
}

TEST(RunReport, LoadsThatWentWellAreNoWarnings) {
  RunReport report = good_run();
  report.session.notes.push_back({.process = 0, .text = "probed: add", .probed = true});
  EXPECT_THAT(report_text(report, {}), Not(HasSubstr("probed: add")));
  EXPECT_TRUE(warnings_of(report).empty());
  report.verbose = true;
  EXPECT_THAT(report_text(report, {}), HasSubstr("\nnote: process "));
  EXPECT_THAT(report_text(report, {}), HasSubstr("probed: add"));
}

TEST(RunReport, ArraysComeOncePerInstanceAndUnaddableMapsSayWhy) {
  RunReport report = good_run();
  report.object = &maps::fixture();
  report.session.instances.clear();
  for (std::uint32_t process = 0; process < 2; ++process) {
    session::InstanceView instance = instance_of(maps::fixture(), 0, 1);
    instance.device = static_cast<std::int32_t>(process);
    value_in<std::uint32_t>(instance, maps::fixture(), maps::map_index("numbers"), 0, 3) =
        40 + process;
    report.session.instances.push_back(std::move(instance));
  }
  const std::string text = report_text(report, {});
  EXPECT_THAT(text, HasSubstr("numbers (process 71, device 0: NVIDIA H200)\nkernel  value\n3       "
                              "   40\n3 zero entries"));
  EXPECT_THAT(
      text,
      HasSubstr("numbers (process 71, device 1: NVIDIA H200)\nkernel  value\n3          41\n"));
  EXPECT_THAT(text, HasSubstr("error: the shards of field value cannot be added"));
}

// Values of the fixture's map "work" for two kernels.
RunReport run_with_histograms() {
  RunReport report = good_run();
  report.object = &maps::fixture();
  report.session.instances = {instance_of(maps::fixture(), 0, 2)};
  const auto work = [&](std::uint32_t shard, std::uint64_t kernel) -> maps::Work& {
    return value_in<maps::Work>(report.session.instances[0], maps::fixture(),
                                maps::map_index("work"), shard, kernel);
  };
  work(0, 0).calls = 3;
  work(0, 0).largest = 1;
  work(0, 0).sizes[9] = 2;
  work(1, 0).sizes[9] = 2;
  work(1, 0).sizes[10] = 1;
  work(0, 1).depths[4] = 7;
  return report;
}

TEST(RunReport, DrawsHistogramsBelowTheOtherFields) {
  EXPECT_THAT(report_text(run_with_histograms(), {.width = 50}),
              HasSubstr("work\n"
                        "kernel            largest                    calls\n"
                        "vec_add... long)  plain                          3\n"
                        "plain             vec_add(flo...igned long)      0\n"
                        "\n"
                        "vec_add(float const*, fl... float*, unsigned long): sizes\n"
                        "[256, 512)  4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
                        "[512, 1K)   1 |@@@@@@@@                          |\n"
                        "\n"
                        "plain: depths\n"
                        "[25, ...)  7 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"));
}

TEST(RunReport, AnArrayOfSlotsIsOneHistogram) {
  RunReport report = run_with_histograms();
  const std::size_t map = maps::map_index("by_size");
  for (const std::uint64_t slot : {0U, 2U})
    value_in<std::uint64_t>(report.session.instances[0], maps::fixture(), map, 1, slot) = 5 + slot;
  EXPECT_THAT(report_text(report, {.width = 24}), HasSubstr("by_size\n"
                                                            "[0]     5 |@@@@@@@@    |\n"
                                                            "[1]     0 |            |\n"
                                                            "[2, 4)  7 |@@@@@@@@@@@@|\n"));
  const auto json = nlohmann::json::parse(report_json(report))["maps"][map];
  EXPECT_EQ(json["histogram"], "log2");
  EXPECT_EQ(json["buckets"][2], nlohmann::json({{"first", 2}, {"last", 3}, {"count", 7}}));
  EXPECT_EQ(json["rows"][1], nlohmann::json({{"key", 2}, {"value", 7}}));
}

TEST(RunReport, JsonHasEverything) {
  RunReport report = good_run();
  report.end.code = 3;
  const auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_TRUE(json["signal"].is_null());
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["maps"][0]["name"], "kernels");
  EXPECT_TRUE(json["maps"][0]["instance"].is_null());
  const auto& row = json["maps"][0]["rows"][0];
  EXPECT_EQ(row["key"], 0);
  EXPECT_EQ(row["kernel"], "vec_add(float const*, float const*, float*, unsigned long)");
  EXPECT_EQ(row["value"]["threads"], 1024);
  EXPECT_EQ(json["maps"][0]["zero_entries"], 1022);
  EXPECT_EQ(json["kernels"][0]["name"], "_Z7vec_addPKfS0_Pfm");
  EXPECT_EQ(json["processes"][0]["replaced"], 1);
  EXPECT_EQ(json["instances"][0]["shards"], 2);
  EXPECT_TRUE(json["warnings"].empty());
}

// .data with `u32 count; s16 balance;` as its variables.
bpf::Object object_with_variables() {
  using B = bpf::BtfBuilder;
  B builder;
  const auto u32 = builder.integer("unsigned int", 4);
  const auto s16 = builder.integer("short", 2, true);
  const auto count = builder.type(B::kVariable, "count", u32.value, {1});
  const auto balance = builder.type(B::kVariable, "balance", s16.value, {1});
  const auto section =
      builder.type(B::kDataSection, ".data", 8, {count.value, 0, 4, balance.value, 4, 2}, 2);
  bpf::Object object;
  object.btf = *bpf::Btf::parse(as_bytes(builder.bytes()));
  object.maps = {{.name = ".data",
                  .type = bpf::MapType::kArray,
                  .key_size = 4,
                  .value_size = 8,
                  .max_entries = 1,
                  .key_type = {},
                  .value_type = section,
                  .initial = std::vector<std::byte>(8)}};
  return object;
}

TEST(RunReport, DataSectionsAreTablesOfVariables) {
  const bpf::Object object = object_with_variables();
  RunReport report = good_run();
  report.object = &object;
  report.session.instances = {instance_of(object, 0, 2)};
  EXPECT_THAT(report_text(report, {}), HasSubstr(".data\n"
                                                 "variable  value\n"
                                                 "count     0\n"
                                                 "balance   0\n"));
  value_in<std::uint32_t>(report.session.instances[0], object, 0, 0, 0) = 7;
  (&value_in<std::int16_t>(report.session.instances[0], object, 0, 0, 0))[2] = -3;
  EXPECT_THAT(report_text(report, {}), HasSubstr("count     7\n"
                                                 "balance   -3\n"));
  EXPECT_THAT(report_text(report, {}), Not(HasSubstr("zero")));

  const auto map = nlohmann::json::parse(report_json(report))["maps"][0];
  EXPECT_EQ(map["name"], ".data");
  EXPECT_EQ(map["rows"], nlohmann::json::parse(R"([{"variable": "count", "value": 7},
                                                   {"variable": "balance", "value": -3}])"));
  EXPECT_EQ(map["zero_entries"], 0);
}

}  // namespace
}  // namespace egpu::cli
