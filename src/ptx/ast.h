// The tree of a PTX module.
//
// It serves three readers: the printer, which gives back the tokens that were read; passes that
// edit; and code that executes or lists. So the tree has structure where those need it (functions,
// declarations, instructions with their operands) and source text where they do not: initialisers,
// debug sections, directives, operands of a shape the parser does not know. Such text is kept as a
// slice of the source, whole tokens from the first to the last, and printed as it is. Nothing is
// stored twice: what a slice means (alignment, type, target) is read from it by an accessor, so
// that an edit cannot leave a stale copy behind.
//
// All text is std::string_view into buffers the Module shares with its copies: copying a module or
// moving parts from one to another is safe as long as the receiver adopts the buffers
// (Module::adopt). New text comes from Module::intern.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace egpu::ptx {

struct Operand;

// A register declared by .reg, or `_`, the result nobody wants.
struct Register {
  std::string_view name;
  bool negated = false;  // !%p1
};
struct SpecialRegister {
  std::string_view name;  // with its component: %tid.x
};
struct Integer {
  std::string_view text;  // without sign: 42, 0x2a, 052, 0b101, 42U
  bool negative = false;
};
struct Float {
  std::string_view text;  // 0f3F800000, 0d3FF0000000000000, 1.5e3
  bool negative = false;
};
// A variable, parameter, function, prototype or the constant WARP_SZ.
struct Symbol {
  std::string_view name;
};
// The target of a branch or a list of targets.
struct LabelName {
  std::string_view name;
};
// Two results: %p1|%p2.
struct Pair {
  Register first;
  Register second;
};
// {%f1, %f2}
struct Vector {
  std::vector<Operand> elements;
};
// (param0, param1) of a call.
struct ParameterList {
  std::vector<Operand> elements;
};
// [base], [base+8], [base+-8], [base-8]; textures and tensors: [base, {%r1, %r2}], [texture,
// sampler, {%f1}].
struct Address {
  std::vector<Operand> parts;    // the base first; at least one
  std::string_view offset = {};  // of the base, without sign; empty: none
  bool plus = false;             // written with '+'
  bool minus = false;            // with '-'; both: +-8
};
// Source text of a shape the parser does not know.
struct RawOperand {
  std::string_view text;
};

struct Operand : std::variant<Register, SpecialRegister, Integer, Float, Symbol, LabelName, Pair,
                              Vector, ParameterList, Address, RawOperand> {
  using variant::variant;
};

// The value modulo 2^64; nothing where the text is no integer of 64 bits.
std::optional<std::uint64_t> integer_value(const Integer& integer);

// ld.global.nc.v4.f32
struct Opcode {
  std::string_view text;

  std::string_view base() const { return text.substr(0, text.find('.')); }
  std::vector<std::string_view> modifiers() const;  // without the dots
  bool has(std::string_view modifier) const;        // "global"
};

struct Instruction {
  Register guard = {};  // an empty name: always executed
  Opcode opcode;
  std::vector<Operand> operands = {};  // in source order, destinations first
};

struct Declarator {
  std::string_view name;              // %r of %r<5>
  std::string_view count = {};        // 5 of %r<5>; empty: a single name
  std::string_view dimensions = {};   // "[2][3]", "[]" or empty
  std::string_view initialiser = {};  // what follows '='; may be megabytes
};

// .reg .b32 %r<5>, %x;   .visible .global .align 8 .b8 table[32] = {...};   a parameter
struct Declaration {
  std::string_view specifiers;  // ".visible .global .align 8 .b8"
  std::vector<Declarator> declarators;

  bool has(std::string_view directive) const;      // ".global"
  std::optional<std::uint64_t> alignment() const;  // of .align; nothing where it is not written
  std::string_view type() const;                   // ".b8"; empty where there is none
  // Bytes of one declarator, its dimensions included; nothing where they are open ("[]"), too
  // large for 64 bits, or the type is opaque.
  std::optional<std::uint64_t> bytes(const Declarator& declarator) const;
};

// .loc, .pragma, .file, .section, .branchtargets, .callprototype, ... with its ';' or braces.
struct Directive {
  std::string_view text;

  std::string_view name() const;  // ".loc"
};

struct Label {
  std::string_view name;
};

struct Statement;
struct Block {
  std::vector<Statement> statements;
};

struct Statement : std::variant<Instruction, Declaration, Directive, Label, Block> {
  using variant::variant;
};

struct Function {
  std::string_view specifiers;  // up to ".entry" or ".func", attributes included
  bool entry = false;
  std::optional<std::vector<Declaration>> results;  // nothing: no parentheses written
  std::string_view name;
  std::optional<std::vector<Declaration>> parameters;  // as above
  std::string_view directives;  // ".maxntid 256, 1, 1 .minnctapersm 2", ".noreturn"
  std::optional<Block> body;    // nothing: a declaration
};

using Item = std::variant<Directive, Declaration, Function>;

struct Version {
  unsigned major = 0;
  unsigned minor = 0;

  auto operator<=>(const Version&) const = default;
};

// sm_90a: 90, "a".
struct Target {
  unsigned architecture = 0;
  std::string_view suffix;

  bool operator==(const Target&) const = default;
};

class Module {
 public:
  std::string name;  // of the file, for messages
  std::vector<Item> items;

  // Each nothing where the directive is missing or cannot be understood.
  std::optional<Version> version() const;
  std::optional<Target> target() const;
  std::optional<unsigned> address_size() const;

  // In source order; declarations without a body are not listed.
  std::vector<const Function*> entries() const;

  // "app.ptx:12:3" of a part of this module's text; the module's name alone for text made later.
  std::string place(std::string_view part) const;

  // Text that lives as long as the module and its copies.
  std::string_view intern(std::string text);
  // Keeps the text of `other` alive, whose parts may then be put into this module.
  void adopt(const Module& other);

 private:
  std::vector<std::shared_ptr<const std::string>> buffers_;
};

}  // namespace egpu::ptx
