// The first kernel of a listing, decoded.
#pragma once

#include <memory>
#include <string>

#include "frontend/listing/listing.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/library.h"

namespace heddle::listing::testing {

inline std::shared_ptr<const isa::Kernel> decode(const std::string& text) {
  const Listing listing = parse(text, "k.sass");
  std::uint64_t next = isa::kGlobalBase;
  isa::Module module = ptx::decode_apart(
      tree_of(listing), [&](const std::string&, std::uint64_t, std::uint32_t) { return next += 256; },
      ptx::Library());
  module.require_all();
  complete(listing, module);
  return module.kernels.front();
}

}  // namespace heddle::listing::testing
