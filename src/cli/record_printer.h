// The records of ring buffers as lines, while the program runs.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "bpf/object.h"
#include "maps/field.h"
#include "maps/format.h"
#include "session/session.h"

namespace egpu::cli {

// "events time=12 block=3": by the type that the map gives its records, else as bytes; or a JSON
// document a line. What a record holds beyond its type is left out.
class RecordPrinter : public session::RecordSink {
 public:
  // To the file `output`, which is emptied, or to standard output where that is "".
  static Result<RecordPrinter> open(const bpf::Object& object, const std::string& output,
                                    bool json);

  void record(const session::RecordView& record) override;
  void flush() override;

  // Behind the records.
  void print(std::string_view text);

 private:
  struct Map {
    std::string name;
    bool typed = false;
    std::uint32_t size = 0;  // of the type
    maps::Field fields;
    std::vector<maps::Field> leaves;
  };

  RecordPrinter(const bpf::Object& object, UniqueFd file, bool json);
  [[nodiscard]] std::string text_of(const session::RecordView& view) const;
  [[nodiscard]] std::string json_of(const session::RecordView& view) const;
  [[nodiscard]] maps::Names names() const { return {.btf = btf_, .kernels = kernels_}; }

  bpf::Btf btf_;
  std::vector<Map> maps_;             // by index
  std::vector<std::string> kernels_;  // names by id, as far as they were needed
  UniqueFd file_;
  bool json_;
  std::string waiting_;
};

}  // namespace egpu::cli
