#include "random_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "random_instruction.h"

namespace egpu {
namespace {

constexpr std::uint32_t kStackBytes = 64;
constexpr std::uint32_t kScratchBytes = 16;  // of a thread's output
constexpr unsigned kDeepest = 3;             // statements in statements
constexpr unsigned kDeepestLoops = 2;        // loops in loops
constexpr unsigned kMostCalls = 3;           // in the text of a function

// Each changes a number of its own: their order does not matter.
constexpr std::string_view kTotals[] = {
    "add.u32 [&], %r", "min.s32 [&], %r", "max.u32 [&], %r", "and.b32 [&], %r",
    "or.b32 [&], %r",  "xor.b32 [&], %r", "add.u64 [&], %d", "max.s64 [&], %d",
};
constexpr std::uint32_t kTotalsRowBytes = 8 * std::size(kTotals);

// On memory of the thread's own.
constexpr std::string_view kAtomics[] = {
    "<add.u32/min.s32/max.u32/and.b32/or.b32/xor.b32/exch.b32/inc.u32/dec.u32> "
    "%r, [&</+4/+12>], %r",
    "<add.u64/min.u64/max.s64/and.b64/xor.b64/exch.b64> %d, [&</+8>], %d",
    "cas.<b32 %r, [&+4], %r, %r/b64 %d, [&], %d, %d>",
    "add.<f32 %f, [&], %f/f64 %g, [&+8], %g>",
};

constexpr std::string_view kSpecialRegisters[] = {
    "mov.u32 %r, %<tid.x/tid.y/tid.z/ntid.x/ctaid.x/ctaid.y/nctaid.x/laneid>",
    "mov.u32 %r, %lanemask_<eq/lt/le/gt/ge>",
};

constexpr std::string_view kFences[] = {"membar.<cta/gl/sys>", "fence.<sc/acq_rel>.<cta/gpu>"};

constexpr std::string_view kBlockVotes[] = {
    "bar.red.popc.u32 %r, 0, </!>%p",
    "bar.red.<and/or>.pred %p, 0, </!>%p",
};

// Memory that a thread may use at any time: `base` and a multiple of 16, at most `last`.
struct Place {
  std::string_view space;
  std::string_view base;
  std::uint32_t last;
  bool writable;
  bool atomic = false;
};
constexpr Place kPlaces[] = {
    {"const.", "%constants", kConstantBytes - 16, false},
    {"local.", "%stack", kStackBytes - 16, true},
    {"", "%stack_generic", kStackBytes - 16, true},
    // Of kernels:
    {"shared.", "%slot", 0, true, true},
    {"", "%slot_generic", 0, true, true},
    {"global.", "%output", 0, true, true},
    {"", "%output", 0, true, true},
    {"global.", "%input", kInputBytes - 16, false},
    {"global.nc.", "%input", kInputBytes - 16, false},
    {"", "%input", kInputBytes - 16, false},
};
constexpr std::size_t kFunctionPlaces = 3;

// %o, %a, %callee and %q hold something for a few instructions; %i0, %i1, ... count loops; %depth
// says how many calls may still follow one in another.
constexpr std::string_view kDeclarations = R"(
	.reg .b32 %o, %i<4>, %depth;
	.reg .b64 %a, %callee, %stack, %stack_generic, %constants;
	.reg .pred %q;
	.local .align 16 .b8 stack[64];
	mov.u64 %stack, stack;
	cvta.local.u64 %stack_generic, %stack;
	mov.u64 %constants, constants;
)";

constexpr std::string_view kFunctionParts = R"(
	ld.param.b32 %depth, [depth];
	ld.param.b64 %a, [number];
	st.local.b64 [%stack], %a;
	ld.param.v2.b64 {%a, %callee}, [pair];
	st.local.v2.b64 [%stack+16], {%a, %callee};
	ld.const.v2.b64 {%a, %callee}, [constants];
	st.local.v2.b64 [%stack+32], {%callee, %a};
	st.local.v2.b64 [%stack+48], {%a, %a};
	st.local.b64 [%stack+8], %a;
	mov.b64 %a, %stack;
)";

// %thread: in the block; %index: in the grid; %mask: lanes of the warp that have not returned.
constexpr std::string_view kKernelParts = R"(
	.reg .b32 %thread, %threads, %index, %mask, %slot;
	.reg .b64 %input, %output, %totals, %slot_generic;
	mov.u32 %o, %tid.z;
	mov.u32 %thread, %ntid.y;
	mov.u32 %index, %tid.y;
	mad.lo.u32 %thread, %o, %thread, %index;
	mov.u32 %o, %ntid.x;
	mov.u32 %index, %tid.x;
	mad.lo.u32 %thread, %thread, %o, %index;
	mov.u32 %index, %ntid.y;
	mul.lo.u32 %threads, %o, %index;
	mov.u32 %o, %ntid.z;
	mul.lo.u32 %threads, %threads, %o;
	mov.u32 %o, %ctaid.y;
	mov.u32 %index, %nctaid.x;
	mov.u32 %mask, %ctaid.x;
	mad.lo.u32 %o, %o, %index, %mask;
	mad.lo.u32 %index, %o, %threads, %thread;
	and.b32 %o, %thread, -32;
	sub.u32 %o, %threads, %o;
	shl.b32 %mask, 1, %o;
	sub.u32 %mask, %mask, 1;
	mov.u32 %slot, slots;
	mad.lo.u32 %slot, %thread, 16, %slot;
	cvt.u64.u32 %slot_generic, %slot;
	cvta.shared.u64 %slot_generic, %slot_generic;
	rem.u32 %depth, %index, 3;
	ld.param.u64 %input, [input];
	ld.param.u64 %totals, [totals];
	ld.param.u64 %output, [output];
)";

// %a: the thread's part of the input, of half its size.
constexpr std::string_view kFindInput = R"(
	mul.lo.u32 %o, %index, 40;
	and.b32 %o, %o, 0x7f8;
	cvt.u64.u32 %a, %o;
	add.u64 %a, %input, %a;
)";

// A function has one chapter, a kernel several: each has registers of its own, which few later ones
// use, so that at the end of a chapter most hold nothing that is needed any more.
class Body {
 public:
  Body(std::mt19937_64& random, bool kernel, bool independent)
      : text_(random, 4 + random() % 9),
        kernel_(kernel),
        independent_(independent),
        chapters_(kernel ? 1 + text_.below(6) : 1) {
    code_ = kDeclarations;
    for (const RegisterKind& kind : kRegisterKinds)
      code_ += fmt::format("\t.reg .{} %{}<{}>;\n", kind.type, kind.letter,
                           chapters_ * text_.end_register());
  }

  std::string function() {
    code_ += kFunctionParts;
    load_registers("local", kStackBytes);
    steps(2 + text_.below(8));
    random_line("st.param.v4.b32 [result], {%r, %r, %r, %r}");
    line("ret");
    return code_ + outlined_;
  }

  KernelBody kernel() {
    const std::uint32_t saved = kStackBytes + kSlotBytes + chapters_ * register_bytes();
    const std::uint32_t output_bytes = (kScratchBytes + saved + 15) / 16 * 16;
    code_ += kKernelParts;
    line(fmt::format("mad.wide.u32 %output, %index, {}, %output", output_bytes));
    saved_to_ = kScratchBytes + kStackBytes + kSlotBytes;
    for (unsigned chapter = 0; chapter < chapters_; ++chapter) {
      if (chapter != 0) text_.add_registers();
      code_ += kFindInput;
      load_registers("global", kInputBytes / 2);
      if (chapter == 0) fill_memory();
      if (!independent_) all_together([&] { steps(2 + text_.below(12)); });
      if (chapter + 1 == chapters_) {
        may_return_ = true;  // from here on, threads need each other no more
        steps(2 + text_.below(10));
      }
      save_registers();
    }
    save_memory();
    line("ret");
    return {code_ + outlined_, output_bytes};
  }

 private:
  void line(std::string_view instruction) { code_ += fmt::format("\t{};\n", instruction); }
  void label(std::string_view name) { code_ += fmt::format("{}:\n", name); }
  std::string new_label() { return fmt::format("L{}", labels_++); }

  // Instructions of a pattern (random_instruction.h), each behind a semicolon; a single one may
  // have a guard. `#`: a new label.
  void random_line(std::string_view pattern, const Address& address = {}) {
    std::string filled = text_.fill(pattern, address);
    const std::string name = filled.find('#') != std::string::npos ? new_label() : std::string();
    for (std::size_t at; (at = filled.find('#')) != std::string::npos;) filled.replace(at, 1, name);
    line(filled);
  }
  void guarded_line(std::string_view pattern, const Address& address = {}) {
    if (pattern.find(';') == std::string_view::npos && text_.one_in(4))
      random_line(fmt::format("@</!>%p {}", pattern), address);
    else
      random_line(pattern, address);
  }

  // From the bytes at %a.
  void load_registers(std::string_view space, std::uint32_t bytes) {
    std::uint32_t at = 8 * text_.below(bytes / 8);
    for_registers([&](const RegisterKind& kind, unsigned number) {
      at = (at + 8) % bytes;
      if (kind.bytes != 0)
        return line(
            fmt::format("ld.{}.{} %{}{}, [%a+{}]", space, kind.type, kind.letter, number, at));
      line(fmt::format("ld.{}.b32 %o, [%a+{}]", space, at));
      line(fmt::format("setp.lt.s32 %p{}, %o, 0", number));
    });
  }

  void fill_memory() {
    random_line("st.shared.v2.b64 [%slot], {%d, %d}");
    for (std::uint32_t at = 0; at < kStackBytes; at += 16)
      random_line(fmt::format("st.local.v2.b64 [stack+{}], {{%d, %d}}", at));
  }

  // Calls `visit` with those of the chapter.
  template <class Visit>
  void for_registers(Visit visit) const {
    for (const RegisterKind& kind : kRegisterKinds)
      for (unsigned i = text_.first_register(); i < text_.end_register(); ++i) visit(kind, i);
  }

  // Of a chapter's registers, a multiple of 8.
  std::uint32_t register_bytes() const {
    std::uint32_t bytes = 0;
    for_registers([&](const RegisterKind& kind, unsigned) { bytes += std::max(kind.bytes, 1U); });
    return (bytes + 7) / 8 * 8;
  }

  void save(const RegisterKind& kind, unsigned number, std::uint32_t at) {
    if (kind.bytes != 0)
      return line(
          fmt::format("st.global.{} [%output+{}], %{}{}", kind.type, at, kind.letter, number));
    line(fmt::format("selp.u32 %o, 1, 0, %p{}", number));
    line(fmt::format("st.global.u8 [%output+{}], %o", at));
  }

  // Half of them: others are needed no more where they are last used, which may be in a loop.
  void save_registers() {
    std::uint32_t at = saved_to_;
    for_registers([&](const RegisterKind& kind, unsigned number) {
      if (text_.one_in(2)) save(kind, number, at);
      at += std::max(kind.bytes, 1U);
    });
    saved_to_ += register_bytes();
  }

  void save_memory() {
    std::uint32_t at = kScratchBytes;
    const auto copy = [&](std::string_view space, std::string_view base, std::uint32_t bytes) {
      for (std::uint32_t from = 0; from < bytes; from += 8, at += 8) {
        line(fmt::format("ld.{}.b64 %a, [{}+{}]", space, base, from));
        line(fmt::format("st.global.b64 [%output+{}], %a", at));
      }
    };
    copy("local", "%stack", kStackBytes);
    copy("shared", "%slot", kSlotBytes);
  }

  void steps(unsigned count) {
    for (unsigned i = 0; i < count; ++i) step();
  }
  void a_few_steps() { steps(1 + text_.below(4)); }

  void step() {
    if (uniform_ && text_.one_in(3)) return together();
    const bool nests = depth_ < kDeepest;
    switch (text_.below(16)) {
      case 0:
      case 1:
        if (nests) return branch();
        break;
      case 2:
        if (nests && loops_ < kDeepestLoops) return any_loop();
        break;
      case 3:
        if (nests) return choose_way();
        break;
      case 4:
        if (calls_ < kMostCalls && loops_ == 0) return call();
        break;
      case 5:
      case 6:
      case 7:
        return access();
      case 8:
        if (kernel_) return kernel_only();
        break;
      case 9:
        return leave();
      case 10:
        if (nests) return local_registers();
        break;
      default:
        break;
    }
    guarded_line(any_computation(text_));
  }

  void kernel_only() {
    switch (text_.below(4)) {
      case 0:
        return add_to_totals();
      case 1:
        return random_line(text_.one_of(kFences));
      case 2:
        if (!independent_) return guarded_line(text_.one_of(kSpecialRegisters));
        [[fallthrough]];
      default:
        return own_atomic();
    }
  }

  // What all threads of a warp or block do at the same place.
  void together() {
    switch (text_.below(6)) {
      case 0:
        return exchange();
      case 1:
        return random_line(text_.one_of(kBlockVotes));
      case 2:
        if (text_.one_in(3)) return return_early();
        [[fallthrough]];
      default:
        return random_line(any_warp_operation(text_));
    }
  }

  // Reads another thread's slot.
  void exchange() {
    line("bar.sync 0");
    random_line("add.u32 %o, %thread, <%r/1/7>;rem.u32 %o, %o, %threads;shl.b32 %o, %o, 4");
    line("mov.u32 %depth, slots;add.u32 %o, %o, %depth;rem.u32 %depth, %index, 3");
    random_line(fmt::format("ld.shared.{}", any_load(text_)), {"%o"});
    line("bar.sync 0");
  }

  void return_early() {
    random_line(
        "mov.pred %q, %p;vote.sync.ballot.b32 %o, %q, %mask;"
        "@%q st.global.b32 [%output+8], %r;@%q <ret/exit>;"
        "not.b32 %o, %o;and.b32 %mask, %mask, %o");
  }

  // Statements that all threads execute which have not returned.
  template <class Statements>
  void all_together(Statements statements) {
    uniform_ = true;
    statements();
    uniform_ = false;
  }

  // Statements that not all threads execute.
  template <class Statements>
  void apart(Statements statements) {
    const bool uniform = std::exchange(uniform_, false);
    ++depth_;
    statements();
    --depth_;
    uniform_ = uniform;
  }

  // Statements within which the declared registers exist.
  template <class Statements>
  void scope(std::string_view registers, Statements statements) {
    ++scopes_;
    code_ += "\t{\n";
    line(registers);
    statements();
    code_ += "\t}\n";
    --scopes_;
  }

  void local_registers() {
    ++depth_;
    scope(".reg .b32 %t; .reg .b64 %u", [this] {
      random_line("add.u32 %t, %r, %R;mul.wide.s32 %u, %t, %R");
      a_few_steps();
      random_line("@</!>%p add.u64 %u, %u, %d;@</!>%p mov.b32 %t, %r");
      a_few_steps();
      random_line("xor.b32 %r, %t, %R;xor.b64 %d, %u, %D");
    });
    --depth_;
  }

  void branch() {
    const std::string other = new_label();
    random_line("@</!>%p bra " + other);
    const bool has_other = text_.one_in(2);
    const bool far = has_other && scopes_ == 0 && text_.one_in(3);
    apart([&] { a_few_steps(); });
    if (!has_other) return label(other);
    const std::string out = new_label();
    std::string before;
    if (far) {  // compilers move what is rare to the end of a function
      label(out);
      before = std::exchange(code_, {});
    } else {
      line("bra " + out);
    }
    label(other);
    apart([&] { a_few_steps(); });
    if (far) {
      line("bra " + out);
      outlined_ += std::exchange(code_, std::move(before));
    } else {
      label(out);
    }
  }

  // One of several ways, of which some lead into the next.
  void choose_way() {
    const unsigned ways = 2 + text_.below(3);
    const std::string targets = new_label();
    const std::string out = new_label();
    std::vector<std::string> labels;
    labels.reserve(ways);
    for (unsigned i = 0; i < ways; ++i) labels.push_back(new_label());
    random_line("and.b32 %o, %r, 3");
    std::string list;
    for (unsigned i = 0; i < 4; ++i) list += (i == 0 ? "" : ", ") + labels[i % ways];
    code_ += fmt::format("{}: .branchtargets {};\n", targets, list);
    line("brx.idx %o, " + targets);
    for (const std::string& way : labels) {
      label(way);
      apart([&] { a_few_steps(); });
      if (!text_.one_in(3)) line("bra " + out);
    }
    label(out);
  }

  struct Loop {
    std::string next;
    std::string end;
  };

  // A register may carry a value from turn to turn, and only that.
  void any_loop() {
    if (!text_.one_in(3)) return loop({});
    scope(".reg .b32 %c", [this] {
      random_line("mov.b32 %c, %r");
      loop("@</!>%p add.u32 %c, %r, %R;xor.b32 %r, %c, %R");
    });
  }

  // A loop whose number of turns differs between threads, or not; all do everything together in the
  // latter. Each turn begins with `first`.
  void loop(std::string_view first) {
    const std::string counter = fmt::format("%i{}", loops_);
    const bool same = text_.one_in(2);
    const std::string top = new_label();
    const std::string middle = new_label();
    const bool long_one = !same && loops_ == 0 && text_.one_in(16);
    if (same)
      line(fmt::format("mov.u32 {}, {}", counter, text_.below(4)));
    else
      random_line(fmt::format("and.b32 {}, %r, {}", counter, long_one ? 0x3ff : 3));
    const bool into_the_middle = !same && text_.one_in(4);
    if (into_the_middle) random_line("@</!>%p bra " + middle);
    const Loop here{.next = new_label(), .end = new_label()};
    const auto body = [&] {
      label(top);
      if (!first.empty()) random_line(first);
      a_few_steps();
      if (into_the_middle) {
        label(middle);
        a_few_steps();
      }
      label(here.next);
    };
    loops_ += long_one ? kDeepestLoops : 1;
    if (same && uniform_) {
      ++depth_;
      body();
      --depth_;
    } else {
      const Loop* const outer = std::exchange(loop_, &here);
      apart(body);
      loop_ = outer;
    }
    loops_ -= long_one ? kDeepestLoops : 1;
    line(fmt::format("setp.ne.u32 %q, {}, 0", counter));
    line(fmt::format("sub.u32 {}, {}, 1", counter, counter));
    line("@%q bra " + top);
    label(here.end);
  }

  // Out of the loop, to its next turn, or out of the kernel.
  void leave() {
    if (loop_ != nullptr && text_.one_in(2))
      return random_line(fmt::format("@</!>%p bra <{}/{}>", loop_->next, loop_->end));
    if (may_return_ && text_.one_in(2))
      return random_line("mov.pred %q, %p;@%q st.global.b32 [%output+12], %r;@%q <ret/exit>");
    guarded_line(any_computation(text_));
  }

  void call() {
    ++calls_;
    const std::string out = new_label();
    line("setp.eq.u32 %q, %depth, 0");
    line("@%q bra " + out);
    line("sub.u32 %o, %depth, 1");
    code_ += "\t{\n";
    line(".param .b32 to_depth");
    line(".param .b64 to_number");
    line(".param .align 16 .b8 to_pair[16]");
    line(".param .align 16 .b8 from[16]");
    line("st.param.b32 [to_depth], %o");
    random_line("st.param.b64 [to_number], %d");
    random_line("st.param.<v2.b64 [to_pair], {%d, %d}/v4.b32 [to_pair], {%r, %r, %r, %r}>");
    const auto callee = [this] { return fmt::format("f{}", text_.below(kFunctions)); };
    if (text_.one_in(2)) {
      line(fmt::format("call (from), {}, (to_depth, to_number, to_pair)", callee()));
    } else {
      const std::string prototype = new_label();
      line("mov.u64 %a, " + callee());
      line("mov.u64 %callee, " + callee());
      random_line("selp.b64 %a, %a, %callee, %p");
      line(
          fmt::format("{}: .callprototype (.param .align 16 .b8 _[16]) _ (.param .b32 _, "
                      ".param .b64 _, .param .align 16 .b8 _[16])",
                      prototype));
      line(fmt::format("call (from), %a, (to_depth, to_number, to_pair), {}", prototype));
    }
    random_line("ld.param.<v4.b32 {%r, %r, %r, %r}/v2.b64 {%d, %d}/f64 %g>, [from]");
    code_ += "\t}\n";
    label(out);
  }

  // The register with a random address in the place, or the constant that is one
  Address address_in(const Place& place) {
    if (place.last == 0 || text_.one_in(3))
      return {std::string(place.base), text_.below(place.last / 16 + 1) * 16};
    random_line(fmt::format("and.b32 %o, %r, {:#x}", place.last & ~15U));
    line("cvt.u64.u32 %a, %o");
    line(fmt::format("add.u64 %a, %a, {}", place.base));
    return {"%a"};
  }

  const Place& any_place() {
    return kPlaces[text_.below(kernel_ ? std::size(kPlaces) : kFunctionPlaces)];
  }

  void access() {
    const Place& place = any_place();
    const Address address = address_in(place);
    const bool store = place.writable && text_.one_in(2);
    guarded_line(store ? fmt::format("st.{}{}", place.space, any_store(text_))
                       : fmt::format("ld.{}{}", place.space, any_load(text_)),
                 address);
  }

  void own_atomic() {
    const Place* place = &any_place();
    while (!place->atomic) place = &any_place();
    guarded_line(fmt::format("atom.{}{}", place->space, text_.one_of(kAtomics)),
                 {std::string(place->base)});
  }

  void add_to_totals() {
    const unsigned which = text_.below(std::size(kTotals));
    random_line(fmt::format("and.b32 %o, %r, {}", kTotalsBytes / kTotalsRowBytes - 1));
    line(fmt::format("mad.wide.u32 %a, %o, {}, %totals", kTotalsRowBytes));
    guarded_line(fmt::format("red.</global.>{}", kTotals[which]), {"%a", 8 * which});
  }

  RandomText text_;
  const bool kernel_;
  const bool independent_;
  const unsigned chapters_;
  std::string code_;
  std::string outlined_;     // follows the end of the function
  bool uniform_ = false;     // all threads that have not returned come here together
  bool may_return_ = false;  // nobody waits for the thread any more
  unsigned depth_ = 0;
  unsigned loops_ = 0;
  unsigned scopes_ = 0;         // with names of their own
  const Loop* loop_ = nullptr;  // innermost that threads may leave
  unsigned calls_ = 0;
  unsigned labels_ = 0;
  std::uint32_t saved_to_ = 0;  // in the output
};

}  // namespace

std::string make_function_body(std::mt19937_64& random) {
  return Body(random, /*kernel=*/false, /*independent=*/false).function();
}

KernelBody make_kernel_body(std::mt19937_64& random, bool independent) {
  return Body(random, /*kernel=*/true, independent).kernel();
}

}  // namespace egpu
