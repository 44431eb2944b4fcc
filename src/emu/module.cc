#include "emu/module.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "emu/kernel.h"
#include "emu/kernel_info.h"
#include "emu/reach.h"
#include "emu/translate.h"
#include "emu/variables.h"
#include "ptx/lexer.h"

namespace egpu::emu {
namespace {

class LoadedModule final : public Module {
 public:
  LoadedModule(const ptx::Module& source, Memory& memory)
      : source_(std::make_shared<const ptx::Module>(source)), variables_(memory) {}

  Result<void> load() {
    if (source_->address_size() != 64U)
      return input_error("only modules with .address_size 64 can run").at(source_->name);
    add_functions();
    EGPU_TRY(add_aliases());
    EGPU_TRY(variables_.load(*source_, symbols_));
    for (const ptx::Function* function : source_->entries()) {
      EGPU_ASSIGN(Reach reach, reach_of(*function, symbols_, *source_));
      EGPU_ASSIGN(KernelInfo info, kernel_info(*function, reach, *source_));
      entries_.emplace(function->name, Entry{function, std::move(info), std::move(reach), {}});
    }
    return {};
  }

  std::vector<std::string> kernel_names() const override {
    std::vector<std::string> names;
    for (const ptx::Function* function : source_->entries()) names.emplace_back(function->name);
    return names;
  }

  const KernelInfo* info(std::string_view kernel) const override {
    const auto found = entries_.find(kernel);
    return found == entries_.end() ? nullptr : &found->second.info;
  }

  Result<const Kernel*> kernel(std::string_view name) override {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return input_error(fmt::format("there is no kernel {}", name));
    Entry& entry = found->second;
    if (!entry.kernel) {
      EGPU_ASSIGN(entry.kernel, translate_all(entry));
    }
    return entry.kernel.get();
  }

  const Variable* variable(std::string_view name) const override { return variables_.find(name); }

 private:
  struct Entry {
    const ptx::Function* function = nullptr;
    KernelInfo info;
    Reach reach;
    std::unique_ptr<Kernel> kernel;  // once it was asked for
  };

  void add_functions() {
    for (const ptx::Item& item : source_->items) {
      const auto* const function = std::get_if<ptx::Function>(&item);
      if (function == nullptr) continue;
      const auto index = static_cast<std::uint32_t>(symbols_.functions.size());
      const auto [known, fresh] =
          symbols_.functions.try_emplace(function->name, ModuleFunction{function, index});
      if (!fresh && function->body) known->second.function = function;
    }
  }

  // .alias name, function;
  Result<void> add_aliases() {
    for (const ptx::Item& item : source_->items) {
      const auto* const directive = std::get_if<ptx::Directive>(&item);
      if (directive == nullptr || directive->name() != ".alias") continue;
      ptx::Lexer lexer(directive->text);
      lexer.next();
      const std::string_view name = lexer.next().text;
      lexer.next();
      const auto function = symbols_.functions.find(lexer.next().text);
      if (function == symbols_.functions.end())
        return input_error(fmt::format("alias {} is of no function", name))
            .at(source_->place(directive->text));
      symbols_.functions[name] = function->second;
    }
    return {};
  }

  Result<std::unique_ptr<Kernel>> translate_all(const Entry& entry) const {
    auto kernel = std::make_unique<Kernel>();
    kernel->info = entry.info;
    kernel->source = source_;
    std::unordered_map<const ptx::Function*, const Code*> codes;
    kernel->by_index.resize(symbols_.functions.size());
    for (const ptx::Function* function : entry.reach.functions) {
      codes[function] = kernel->functions.emplace_back(std::make_unique<Code>()).get();
      kernel->by_index[symbols_.functions.at(function->name).index] = codes[function];
    }
    const KernelContext context{*source_, symbols_, entry.reach, entry.info, codes};
    for (std::size_t i = 0; i < entry.reach.functions.size(); ++i)
      EGPU_TRY(translate(context, *entry.reach.functions[i], *kernel->functions[i]));
    return kernel;
  }

  const std::shared_ptr<const ptx::Module> source_;
  Symbols symbols_;
  ModuleVariables variables_;
  std::map<std::string_view, Entry> entries_;  // fixed once loaded, but for `kernel`
  std::mutex mutex_;                           // of what was translated
};

}  // namespace

Result<std::unique_ptr<Module>> Module::load(const ptx::Module& ptx, Memory& memory) {
  auto module = std::make_unique<LoadedModule>(ptx, memory);
  EGPU_TRY(module->load());
  return module;
}

}  // namespace egpu::emu
