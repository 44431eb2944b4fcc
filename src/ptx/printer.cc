#include "ptx/printer.h"

#include <string_view>

namespace egpu::ptx {
namespace {

class Printer {
 public:
  void module(const Module& module) {
    for (const Item& item : module.items) std::visit(*this, item);
  }

  void operator()(const Directive& directive) {
    line_start();
    put(directive.text, "\n");
  }

  void operator()(const Declaration& declaration) {
    line_start();
    put(declaration.specifiers);
    std::string_view separator = " ";
    for (const Declarator& declarator : declaration.declarators) {
      put(separator);
      this->declarator(declarator);
      separator = ", ";
    }
    put(";\n");
  }

  void operator()(const Function& function) {
    put("\n", function.specifiers, " ");
    if (function.results) {
      parameters(*function.results);
      put(" ");
    }
    put(function.name);
    if (function.parameters) parameters(*function.parameters);
    if (!function.directives.empty()) put("\n", function.directives);
    if (!function.body) {
      put(";\n");
      return;
    }
    put("\n");
    (*this)(*function.body);
  }

  void operator()(const Block& block) {
    line_start();
    put("{\n");
    ++depth_;
    for (const Statement& statement : block.statements) std::visit(*this, statement);
    --depth_;
    line_start();
    put("}\n");
  }

  void operator()(const Label& label) { put(label.name, ":\n"); }

  void operator()(const Instruction& instruction) {
    line_start();
    if (!instruction.guard.name.empty()) {
      put("@");
      (*this)(instruction.guard);
      put(" ");
    }
    put(instruction.opcode.text);
    if (!instruction.operands.empty()) put(" ");
    list(instruction.operands);
    put(";\n");
  }

  void operator()(const Register& operand) { put(operand.negated ? "!" : "", operand.name); }
  void operator()(const SpecialRegister& operand) { put(operand.name); }
  void operator()(const Integer& operand) { put(operand.negative ? "-" : "", operand.text); }
  void operator()(const Float& operand) { put(operand.negative ? "-" : "", operand.text); }
  void operator()(const Symbol& operand) { put(operand.name); }
  void operator()(const LabelName& operand) { put(operand.name); }
  void operator()(const RawOperand& operand) { put(operand.text); }
  void operator()(const Pair& operand) {
    (*this)(operand.first);
    put("|");
    (*this)(operand.second);
  }
  void operator()(const Vector& operand) {
    put("{");
    list(operand.elements);
    put("}");
  }
  void operator()(const ParameterList& operand) {
    put("(");
    list(operand.elements);
    put(")");
  }
  void operator()(const Address& operand) {
    put("[");
    for (std::size_t i = 0; i < operand.parts.size(); ++i) {
      if (i > 0) put(", ");
      std::visit(*this, operand.parts[i]);
      if (i == 0) put(operand.plus ? "+" : "", operand.minus ? "-" : "", operand.offset);
    }
    put("]");
  }

  std::string take() { return std::move(text_); }

 private:
  template <class... Parts>
  void put(const Parts&... parts) {
    (text_.append(std::string_view(parts)), ...);
  }

  void line_start() { text_.append(depth_, '\t'); }

  void list(const std::vector<Operand>& operands) {
    std::string_view separator;
    for (const Operand& operand : operands) {
      put(separator);
      std::visit(*this, operand);
      separator = ", ";
    }
  }

  void declarator(const Declarator& declarator) {
    put(declarator.name);
    if (!declarator.count.empty()) put("<", declarator.count, ">");
    put(declarator.dimensions);
    if (!declarator.initialiser.empty()) put(" = ", declarator.initialiser);
  }

  void parameters(const std::vector<Declaration>& parameters) {
    put("(");
    std::string_view separator;
    for (const Declaration& parameter : parameters) {
      put(separator, "\n\t", parameter.specifiers, " ");
      for (const Declarator& declarator : parameter.declarators) this->declarator(declarator);
      separator = ",";
    }
    put(parameters.empty() ? ")" : "\n)");
  }

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Module& module) {
  Printer printer;
  printer.module(module);
  return printer.take();
}

std::string print(const Function& function) {
  Printer printer;
  printer(function);
  return printer.take();
}

}  // namespace egpu::ptx
