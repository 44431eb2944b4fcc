// Whatever parses prints back to the same tokens, and parses again.
#include <cstdlib>

#include "base/bytes.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

namespace {

bool same_tokens(std::string_view a, std::string_view b) {
  egpu::ptx::Lexer left(a);
  egpu::ptx::Lexer right(b);
  while (true) {
    const egpu::ptx::Token token = left.next();
    if (token != right.next()) return false;
    if (token.kind == egpu::ptx::TokenKind::kEnd) return true;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = egpu::as_text(std::as_bytes(std::span(data, size)));
  const auto module = egpu::ptx::parse(text, "fuzz.ptx");
  if (!module) return 0;
  const std::string printed = egpu::ptx::print(*module);
  if (!same_tokens(text, printed)) std::abort();
  if (!egpu::ptx::parse(printed, "again.ptx")) std::abort();
  return 0;
}
