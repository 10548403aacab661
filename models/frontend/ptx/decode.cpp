#include "frontend/ptx/decode.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/error.h"
#include "frontend/ptx/decode/context.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/layout.h"
#include "frontend/ptx/decode/library.h"

namespace heddle::ptx {

isa::Module decode(const Module& module, const AllocateGlobal& allocate) {
  // The library is only needed during decoding.
  Library library;
  return decode(std::shared_ptr<const Module>(&module, [](const Module*) {}), allocate, library);
}

namespace {

isa::Module decode_in(ModuleContext& context, const AllocateGlobal& allocate) {
  const Module& module = context.ast;
  if (module.address_size == 32)
    context.fail(module.address_size_where, ".address_size 32 is not supported",
                 "Compile for 64-bit addresses (nvcc -m64).");
  isa::Module out;
  out.version = module.version;
  out.target = module.target;
  out.source = module.source;
  place_functions(context, allocate);
  out.globals = place_globals(context, allocate);
  std::unordered_set<std::string> names;
  for (const Function& function : module.functions) {
    // Device functions are decoded with the kernels that may call them; declarations add nothing.
    if (!function.is_entry || function.external) continue;
    if (!names.insert(function.name).second)
      context.fail(function.where, fmt::format("kernel '{}' is defined twice", function.name));
    try {
      out.kernels.push_back(std::make_shared<const isa::Kernel>(decode_kernel(context, function)));
    } catch (const base::InputError& why) {
      out.refused.push_back({function.name, std::make_shared<const base::InputError>(why)});
    }
  }
  return out;
}

}  // namespace

isa::Module decode(std::shared_ptr<const Module> tree, const AllocateGlobal& allocate, Library& library) {
  auto context = std::make_unique<ModuleContext>(ModuleContext{*tree, {}, {}, {}, &library});
  isa::Module out = decode_in(*context, allocate);
  library.add(std::move(tree), std::move(context));
  return out;
}

isa::Module decode_apart(const Module& module, const AllocateGlobal& allocate, const Library& library) {
  ModuleContext context{module, {}, {}, {}, &library};
  return decode_in(context, allocate);
}

std::vector<std::string> supported_instructions() {
  std::vector<std::string> list;
  for (const std::string_view opcode : known_opcodes())
    for (const CompiledForm& form : forms_of(opcode)) {
      std::string text = describe(form);
      if (!text.empty()) list.push_back(std::move(text));
    }
  return list;
}

}  // namespace heddle::ptx
