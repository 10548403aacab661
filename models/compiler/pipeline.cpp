#include "compiler/pipeline.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "compiler/live_registers.h"
#include "compiler/reconvergence.h"
#include "compiler/save_recursion.h"
#include "compiler/transactions.h"

namespace heddle::compiler {

Pipeline Pipeline::standard() {
  Pipeline pipeline;
  pipeline.add(Stage::kComplete, std::make_shared<const SaveRecursion>());
  pipeline.add(Stage::kReconverge, std::make_shared<const ReconvergencePoints>());
  pipeline.add(Stage::kAnalyse, std::make_shared<const LiveRegisters>());
  pipeline.add(Stage::kAnalyse, std::make_shared<const Transactions>());
  return pipeline;
}

Pipeline& Pipeline::add(Stage stage, std::shared_ptr<const Pass> pass) {
  passes_[static_cast<std::size_t>(stage)].push_back(std::move(pass));
  return *this;
}

std::vector<std::string_view> Pipeline::names() const {
  std::vector<std::string_view> names;
  for (const auto& stage : passes_)
    for (const auto& pass : stage) names.push_back(pass->name());
  return names;
}

void Pipeline::run(isa::Kernel& kernel) const {
  for (const auto& stage : passes_)
    for (const auto& pass : stage) pass->run(kernel);
}

void Pipeline::run(isa::Module& module) const {
  std::vector<std::shared_ptr<const isa::Kernel>> done;
  for (const auto& decoded : module.kernels) {
    isa::Kernel kernel = *decoded;
    try {
      run(kernel);
      done.push_back(std::make_shared<const isa::Kernel>(std::move(kernel)));
    } catch (const base::InputError& error) {
      module.refused.push_back({kernel.name, std::make_shared<base::InputError>(error)});
    } catch (const std::length_error& limit) {
      const std::string file = kernel.source ? kernel.source->name : std::string{};
      module.refused.push_back(
          {kernel.name, std::make_shared<const base::InputError>(
                            fmt::format("{}:{}:{}", file, kernel.defined_at.line, kernel.defined_at.column),
                            fmt::format("kernel '{}' is too large to analyse: {}", kernel.name, limit.what()),
                            "Split the kernel.")});
    }
  }
  module.kernels = std::move(done);
}

}  // namespace heddle::compiler
