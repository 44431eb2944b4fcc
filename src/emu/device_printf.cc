#include "emu/device_printf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>

namespace egpu::emu {
namespace {

constexpr int kWidest = 1024;  // of a field: a program may ask for any number

// One conversion: %-08.3lld
struct Conversion {
  std::string flags;
  int width = 0;  // negative: to the left
  int precision = -1;
  unsigned bytes = 4;
  char letter = 0;
};

template <class T>
std::string print(const Conversion& conversion, std::string_view length, T value) {
  // A negative precision is none, and so is a width of 0.
  const std::string format = fmt::format("%{}*.*{}{}", conversion.flags, length, conversion.letter);
  // NOLINTBEGIN(clang-diagnostic-format-nonliteral): flags, numbers and one known letter
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size =
      std::snprintf(nullptr, 0, format.c_str(), conversion.width, conversion.precision, value);
  std::string text(static_cast<std::size_t>(std::max(size, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), conversion.width, conversion.precision,
                value);
#pragma GCC diagnostic pop
  // NOLINTEND(clang-diagnostic-format-nonliteral)
  text.pop_back();
  return text;
}

class Printer {
 public:
  Printer(std::string_view format, const PrintfSource& source) : rest_(format), source_(source) {}

  std::optional<Printed> run() {
    while (!rest_.empty()) {
      const std::size_t percent = std::min(rest_.find('%'), rest_.size());
      out_ += rest_.substr(0, percent);
      rest_.remove_prefix(percent);
      if (!rest_.empty() && !conversion()) return std::nullopt;
    }
    return Printed{std::move(out_), arguments_};
  }

 private:
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  char take() {
    const char c = peek();
    if (!rest_.empty()) rest_.remove_prefix(1);
    return c;
  }

  std::optional<std::uint64_t> argument(unsigned bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const auto value = source_.argument(offset_, bytes);
    offset_ += bytes;
    ++arguments_;
    return value;
  }

  // A number, or '*' for an argument. False: the argument is missing.
  bool number(int& value) {
    if (peek() == '*') {
      take();
      const auto given = argument(4);
      if (!given) return false;
      value = std::clamp(static_cast<int>(*given), -kWidest, kWidest);
      return true;
    }
    while (peek() >= '0' && peek() <= '9') {
      value = std::min(std::max(value, 0) * 10 + (take() - '0'), kWidest);
    }
    return true;
  }

  bool conversion() {
    const std::string_view start = rest_;
    take();
    if (peek() == '%') {
      out_ += take();
      return true;
    }
    Conversion conversion;
    while (peek() != '\0' && std::string_view("-+ #0").contains(peek())) conversion.flags += take();
    if (!number(conversion.width)) return false;
    if (peek() == '.') {
      take();
      conversion.precision = 0;
      if (!number(conversion.precision)) return false;
    }
    for (; peek() != '\0' && std::string_view("hljztL").contains(peek()); take())
      if (peek() != 'h') conversion.bytes = 8;
    conversion.letter = take();
    if (print_argument(conversion)) return printed_;
    out_ += start.substr(0, start.size() - rest_.size());
    return true;
  }

  // False: the letter is no conversion. Otherwise `printed_` says whether there was an argument.
  bool print_argument(Conversion& conversion) {
    const auto take_argument = [this](unsigned bytes) {
      const auto value = argument(bytes);
      printed_ = value.has_value();
      return value;
    };
    switch (conversion.letter) {
      case 'd':
      case 'i':
        if (const auto value = take_argument(conversion.bytes))
          out_ += print(conversion, "ll",
                        conversion.bytes == 8
                            ? static_cast<long long>(*value)
                            : static_cast<long long>(static_cast<std::int32_t>(*value)));
        return true;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        if (const auto value = take_argument(conversion.bytes))
          out_ += print(conversion, "ll", static_cast<unsigned long long>(*value));
        return true;
      case 'c':
        if (const auto value = take_argument(4))
          out_ += print(conversion, "", static_cast<int>(*value));
        return true;
      case 'p':
        if (const auto value = take_argument(8))
          out_ += print(conversion, "", reinterpret_cast<void*>(*value));  // NOLINT
        return true;
      case 's':
        if (const auto value = take_argument(8)) {
          const auto text = source_.text(*value);
          printed_ = text.has_value();
          if (text) out_ += print(conversion, "", text->c_str());
        }
        return true;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (const auto value = take_argument(8))
          out_ += print(conversion, "", std::bit_cast<double>(*value));
        return true;
      default:
        return false;
    }
  }

  std::string_view rest_;
  const PrintfSource& source_;
  std::string out_;
  std::uint64_t offset_ = 0;
  std::uint32_t arguments_ = 0;
  bool printed_ = false;
};

}  // namespace

std::optional<Printed> format_printf(std::string_view format, const PrintfSource& source) {
  return Printer(format, source).run();
}

}  // namespace egpu::emu
