// PTX text: parser, decoder, and the oracle's translation of the same tree.
#include <string>
#include <utility>

#include "base/error.h"
#include "compiler/pipeline.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "oracle/oracle.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  heddle::ptx::Module tree;
  try {
    tree = heddle::ptx::parse_text(text, "fuzz.ptx");
  } catch (const heddle::base::InputError&) {
    return 0;
  }
  try {
    heddle::host::AllocationTable allocations;
    heddle::isa::Module module =
        heddle::ptx::decode(tree, [&](const std::string& name, std::uint64_t bytes, std::uint32_t align) {
          return allocations.allocate(bytes == 0 ? 1 : bytes, align, name);
        });
    heddle::compiler::Pipeline::standard().run(module);
  } catch (const heddle::base::InputError&) {
  }
  try {
    heddle::oracle::OracleDevice oracle;
    (void)oracle.load_tree(std::move(tree), "fuzz.ptx");
  } catch (const heddle::base::InputError&) {
  }
  return 0;
}
