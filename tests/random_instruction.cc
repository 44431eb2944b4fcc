#include "random_instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <vector>

namespace egpu {
namespace {

constexpr std::string_view kComputations[] = {
    // Integers
    "<add/sub/min/max/mul.lo/mul.hi/div/rem>.<s16/u16> %h, %h, %H",
    "<add/sub/min/max/mul.lo/mul.hi/mul24.lo/mul24.hi/div/rem>.<s32/u32> %r, %r, %R",
    "<add/sub/min/max/mul.lo/mul.hi/div/rem>.<s64/u64> %d, %d, %D",
    "<add/sub>.sat.s32 %r, %r, %R",
    "mul.wide.<s16/u16> %r, %h, %H",
    "mul.wide.<s32/u32> %d, %r, %R",
    "mad.lo.<s16/u16> %h, %h, %H, %H",
    "<mad.lo/mad.hi/mad24.lo/mad24.hi/sad>.<s32/u32> %r, %r, %R, %R",
    "<mad.lo/mad.hi/sad>.<s64/u64> %d, %d, %D, %D",
    "mad.wide.<s16/u16> %r, %h, %H, %R",
    "mad.wide.<s32/u32> %d, %r, %R, %D",
    "mad.hi.sat.s32 %r, %r, %R, %R",
    "<abs/neg>.<s16 %h, %h/s32 %r, %r/s64 %d, %d>",
    "dp4a.<s32/u32>.<s32/u32> %r, %r, %R, %R",
    "dp2a.<lo/hi>.<s32/u32>.<s32/u32> %r, %r, %R, %R",
    "add.cc.u32 %r, %r, %R;addc.cc.u32 %r, %r, %R;addc.u32 %r, %r, %R",
    "sub.cc.u64 %d, %d, %D;subc.u64 %d, %d, %D",
    "mad.lo.cc.u32 %r, %r, %R, %R;madc.hi.u32 %r, %r, %R, %R",
    // Bits
    "<and/or/xor>.<b16 %h, %h, %H/b32 %r, %r, %R/b64 %d, %d, %D/pred %p, %p, %p>",
    "<not/cnot>.<b16 %h, %h/b32 %r, %r/b64 %d, %d>",
    "not.pred %p, %p",
    "<shl.b16/shr.s16/shr.u16> %h, %h, %R",
    "<shl.b32/shr.s32/shr.u32> %r, %r, %R",
    "<shl.b64/shr.s64/shr.u64> %d, %d, %R",
    "shf.<l/r>.<wrap/clamp>.b32 %r, %r, %r, %R",
    "lop3.b32 %r, %r, %R, %r, <0x96/0xe8/0xca/0x1b/0x80>",
    "prmt.b32</.f4e/.b4e/.rc8/.ecl/.ecr/.rc16> %r, %r, %r, %R",
    "bfe.<u32 %r, %r/s32 %r, %r/u64 %d, %d/s64 %d, %d>, <%r/0/7/31/60>, <%r/0/1/9/32/255>",
    "bfi.<b32 %r, %r, %r/b64 %d, %d, %d>, <%r/0/7/31/60>, <%r/0/1/9/32/255>",
    "<popc/clz>.<b32 %r, %r/b64 %r, %d>",
    "brev.<b32 %r, %r/b64 %d, %d>",
    "bfind</.shiftamt>.<u32 %r, %r/s32 %r, %r/u64 %r, %d/s64 %r, %d>",
    "fns.b32 %r, %r, <0/5/31>, <1/-2/3>",
    "szext.<wrap/clamp>.<s32/u32> %r, %r, %R",
    "bmsk.<wrap/clamp>.b32 %r, %r, %R",
    // Comparisons and choices
    "setp.<eq/ne/lt/le/gt/ge>.<s16 %p, %h, %H/u16 %p, %h, %H/s32 %p, %r, %R/u32 %p, %r, %R>",
    "setp.<eq/ne/lt/le/gt/ge>.<s64 %p, %d, %D/u64 %p, %d, %D>",
    "setp.<eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan>.<f32 %p, %f, %F/f64 %p, %g, %G>",
    "setp.<eq/lt/ge>.<and/or/xor>.<s32 %p, %r, %R/u64 %p, %d, %D/f32 %p, %f, %F>, </!>%p",
    "set.<eq/lt/ge>.<u32/s32>.<s32 %r, %r, %R/u64 %r, %d, %D/f32 %r, %f, %F>",
    "set.<ne/gt/leu>.f32.f32 %f, %f, %F",
    "selp.<b16 %h, %h, %H/b32 %r, %r, %R/b64 %d, %d, %D/f32 %f, %f, %F/f64 %g, %g, %G>, %p",
    "slct.<b32.s32 %r, %r, %R/b64.s32 %d, %d, %D/f32.s32 %f, %f, %F>, %r",
    "slct<.ftz/>.<u32.f32 %r, %r, %R/s64.f32 %d, %d, %D/f64.f32 %g, %g, %G>, %f",
    // Moves and conversions
    "mov.<b16 %h, %H/b32 %r, %R/b64 %d, %D/f32 %f, %F/f64 %g, %G/pred %p, %p>",
    "mov.b32 <%r, {%h, %h}/{%h, %h}, %r/%r, %f/%f, %r>",
    "mov.b64 <%d, {%r, %r}/{%r, %r}, %d/%d, {%h, %h, %h, %h}/{%h, %h, %h, %h}, %d/%d, %g/%g, %d>",
    "cvt</.sat>.<u8/s8/u16/s16>.<u32 %h, %r/s32 %h, %r/u64 %h, %d/s64 %h, %d>",
    "cvt.<u8/s8>.<u16/s16> %h, %h",
    "cvt.<u32/s32>.<u8/s8/u16/s16> %r, %h",
    "cvt</.sat>.<u32/s32>.<u64/s64> %r, %d",
    "cvt.<u64/s64>.<u8 %d, %h/s16 %d, %h/u32 %d, %r/s32 %d, %r>",
    "cvt.<rn/rz/rm/rp>.f32.<s16 %f, %h/s32 %f, %r/u32 %f, %r/s64 %f, %d/u64 %f, %d/f64 %f, %g>",
    "cvt.<rn/rz/rm/rp>.f64.<s32 %g, %r/u32 %g, %r/s64 %g, %d/u64 %g, %d>",
    "cvt.<rni/rzi/rmi/rpi></.ftz>.<s16.f32 %h, %f/s32.f32 %r, %f/u32.f32 %r, %f/u64.f32 %d, %f>",
    "cvt.<rni/rzi/rmi/rpi>.<u16.f64 %h, %g/s32.f64 %r, %g/u32.f64 %r, %g/s64.f64 %d, %g>",
    "cvt</.sat>.f64.f32 %g, %f",
    "cvt.<rni/rzi/rmi/rpi>.<f32.f32 %f, %f/f64.f64 %g, %g>",
    "cvt.<rn/rz>.<f16.f32 %h, %f/f16.f64 %h, %g/bf16.f32 %h, %f/f16x2.f32 %r, %f, %f>",
    "cvt.f32.<f16/bf16> %f, %h",
    // Floats
    "<add/sub/mul>.<rn/rz/rm/rp></.ftz></.sat>.f32 %f, %f, %F",
    "<add/sub/mul/div>.<rn/rz/rm/rp>.f64 %g, %g, %G",
    "fma.<rn/rz/rm/rp></.ftz></.sat>.f32 %f, %f, %f, %F",
    "fma.<rn/rz/rm/rp>.f64 %g, %g, %g, %G",
    "div.<rn/rz/rm/rp/approx/full></.ftz>.f32 %f, %f, %F",
    "<rcp/sqrt>.<rn/rz/rm/rp>.<f32 %f, %f/f64 %g, %g>",
    "<min/max></.ftz></.NaN>.f32 %f, %f, %F",
    "<min/max>.f64 %g, %g, %G",
    "<abs/neg>.<f32 %f, %f/f64 %g, %g>",
    "copysign.<f32 %f, %f, %f/f64 %g, %g, %g>",
    "testp.<finite/infinite/number/notanumber/normal/subnormal>.<f32 %p, %f/f64 %p, %g>",
    "<ex2/lg2/sin/cos/rcp/sqrt/rsqrt>.approx</.ftz>.f32 %f, %f",
    "tanh.approx.f32 %f, %f",
    "<add/sub/mul></.rn></.sat>.<f16 %h, %h, %h/f16x2 %r, %r, %r>",
    "fma.rn.<f16 %h, %h, %h, %h/f16x2 %r, %r, %r, %r/bf16 %h, %h, %h, %h/bf16x2 %r, %r, %r, %r>",
    "<min/max></.NaN>.<f16 %h, %h, %h/f16x2 %r, %r, %r/bf16 %h, %h, %h/bf16x2 %r, %r, %r>",
};

constexpr std::string_view kLoads[] = {
    "<u8/s8/b8> %h, [&</+1/+7/+15>]",
    "<u8/s8> %r, [&</+1/+7/+15>]",
    "<u16/s16/b16> <%h/%r>, [&</+2/+6/+14>]",
    "<u32/s32/b32> %r, [&</+4/+12>]",
    "<u32/s32> %d, [&</+4/+12>]",
    "f32 %f, [&</+4/+8>]",
    "<u64/s64/b64> %d, [&</+8>]",
    "f64 %g, [&</+8>]",
    "v2.<b32 {%r, %r}/f32 {%f, %f}>, [&</+8>]",
    "v4.<b32 {%r, %r, %r, %r}/f32 {%f, %f, %f, %f}>, [&]",
    "v2.<b64 {%d, %d}/f64 {%g, %g}>, [&]",
    "v2.<u8/s8> {%h, %h}, [&</+2/+14>]",
    "v4.<u8 {%h, %h, %h, %h}/s16 {%r, %r, %r, %r}>, [&</+8>]",
};

constexpr std::string_view kStores[] = {
    "<b8/u8> [&</+1/+7/+15>], <%h/%r>",
    "<b16/u16> [&</+2/+6/+14>], %h",
    "<u32/b32> [&</+4/+12>], <%r/%r/%d>",
    "f32 [&</+4/+8>], %f",
    "<u64/b64> [&</+8>], %d",
    "f64 [&</+8>], %g",
    "v2.<b32 [&], {%r, %r}/f32 [&+8], {%f, %f}>",
    "v4.<b32 [&], {%r, %r, %r, %r}/f32 [&], {%f, %f, %f, %f}>",
    "v2.<b64 [&], {%d, %d}/f64 [&], {%g, %g}>",
    "v4.<u8 [&+8], {%h, %h, %h, %h}/u16 [&], {%h, %h, %h, %h}>",
};

// A shuffle reads a lane of %mask alone: that of a number, or any where the warp is whole.
constexpr std::string_view kShuffleFromLane =
    "popc.b32 %o, %mask;rem.u32 %o, %r, %o;add.u32 %o, %o, 1;fns.b32 %o, %mask, 0, %o;"
    "shfl.sync.idx.b32 %r</|%p>, %r, %o, 31, %mask";
constexpr std::string_view kShuffleInWholeWarp =
    "setp.ne.u32 %q, %mask, -1;@%q bra #;"
    "shfl.sync.<up/down/bfly/idx>.b32 %r</|%p>, %r, %R, <0/31/%R>, %mask;#: mov.u32 %o, 0";

constexpr std::string_view kWarpOperations[] = {
    kShuffleFromLane,
    kShuffleInWholeWarp,
    "vote.sync.<all/any/uni>.pred %p, </!>%p, %mask",
    "vote.sync.ballot.b32 %r, </!>%p, %mask",
    "match.any.sync.<b32 %r, %r/b64 %r, %d>, %mask",
    "match.all.sync.<b32 %r, %r/b32 %r|%p, %r/b64 %r|%p, %d>, %mask",
    "redux.sync.<add/min/max>.<s32/u32> %r, %r, %mask",
    "redux.sync.<and/or/xor>.b32 %r, %r, %mask",
    "bar.warp.sync %mask;activemask.b32 %r",
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// The letter of a kind of register, alone.
bool names_operand(std::string_view text) {
  if (text.empty() || (text.size() > 1 && is_name(text[1]))) return false;
  return std::string_view("dgrfhpDGRFH").find(text[0]) != std::string_view::npos;
}

// The number of "+8" behind `at`, which moves to its end; 0 where there is none.
std::uint32_t take_offset(std::string_view text, std::size_t& at) {
  std::uint32_t offset = 0;
  if (at + 1 == text.size() || text[at + 1] != '+') return 0;
  for (++at; at + 1 < text.size() && is_digit(text[at + 1]); ++at)
    offset = offset * 10 + static_cast<std::uint32_t>(text[at + 1] - '0');
  return offset;
}

template <class T, std::size_t count>
T any_of(RandomText& text, const T (&values)[count]) {
  return values[text.below(count)];
}

}  // namespace

std::uint64_t RandomText::number() {
  constexpr std::uint64_t kEdges[] = {0,          1,          ~0ULL,      1ULL << 63,
                                      ~0ULL >> 1, 1ULL << 31, 0x7fffffff, 0xffffffff,
                                      1ULL << 32, 0xffff8000, 0x8000,     0xff};
  // Ones and the least of f32 and f64, infinities, NaNs, what no integer can hold.
  constexpr std::uint64_t kFloats[] = {
      0x3f800000'bf800000, 0x3ff00000'00000000, 0x00000001'80000000, 0x80000000'00000001,
      0x7f800000'ff800000, 0x7ff00000'00000000, 0x7fc00000'7f800001, 0x7ff00000'00000001,
      0x4f000000'cf000001, 0xc3e00000'00000000, 0x3c003c00'7bff0001, 0x40490fdb'3f000000};
  switch (below(5)) {
    case 0:
      return any_of(*this, kEdges);
    case 1:
      return any_of(*this, kFloats);
    case 2:
      return below(64);
    case 3:  // numbers of moderate size, as f32 or f64
      return one_in(2) ? std::bit_cast<std::uint64_t>((below(1 << 20) - 5e5) / 512)
                       : std::bit_cast<std::uint32_t>(static_cast<float>(below(1 << 20)) / 1024) *
                             0x1'0000'0001;
    default:
      return random_() >> below(64);
  }
}

std::string RandomText::choose(std::string_view pattern) {
  std::string chosen;
  while (true) {
    const std::size_t open = pattern.find('<');
    chosen += pattern.substr(0, open);
    if (open == std::string_view::npos) return chosen;
    const std::size_t close = pattern.find('>', open);
    std::string_view choices = pattern.substr(open + 1, close - open - 1);
    for (auto skipped = below(1 + static_cast<unsigned>(std::ranges::count(choices, '/')));
         skipped > 0; --skipped)
      choices.remove_prefix(choices.find('/') + 1);
    chosen += choices.substr(0, choices.find('/'));
    pattern.remove_prefix(close + 1);
  }
}

std::string RandomText::immediate(char letter) {
  const std::uint64_t value = number();
  switch (letter) {
    case 'H':
      return fmt::format("{}", static_cast<std::int16_t>(value));
    case 'R':
      return fmt::format("{}", static_cast<std::int32_t>(value));
    case 'D':
      return fmt::format("{:#x}", value);
    case 'F':
      return fmt::format("0f{:08X}", static_cast<std::uint32_t>(value));
    default:
      return fmt::format("0d{:016X}", value);
  }
}

std::string RandomText::reg(char letter) {
  const unsigned number = one_in(6) ? below(end_register()) : first_ + below(registers_);
  return fmt::format("%{}{}", letter, number);
}

// "%r" as random text: a register, or for "%R" a number.
std::string RandomText::operand(char letter, std::vector<std::string>* others) {
  if (is_upper(letter) && one_in(3)) return immediate(letter);
  const auto kind = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  std::string name = reg(kind);
  if (others == nullptr) return name;
  while (std::ranges::find(*others, name) != others->end()) name = reg(kind);
  return others->emplace_back(std::move(name));
}

std::string RandomText::fill(std::string_view pattern, const Address& address) {
  const std::string chosen = choose(pattern);
  std::string text;
  std::vector<std::string> in_braces;
  bool inside = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const char c = chosen[i];
    if (c == '{' || c == '}') {
      inside = c == '{';
      in_braces.clear();
    }
    if (c == '&' && !address.base.empty()) {
      text += fmt::format("{}+{}", address.base, address.offset + take_offset(chosen, i));
    } else if (c == '%' && names_operand(std::string_view(chosen).substr(i + 1))) {
      text += operand(chosen[++i], inside ? &in_braces : nullptr);
    } else {
      text += c;
    }
  }
  return text;
}

std::string_view any_computation(RandomText& text) { return any_of(text, kComputations); }
std::string_view any_load(RandomText& text) { return any_of(text, kLoads); }
std::string_view any_store(RandomText& text) { return any_of(text, kStores); }
std::string_view any_warp_operation(RandomText& text) { return any_of(text, kWarpOperations); }

}  // namespace egpu
