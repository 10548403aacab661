// What neither the model nor the oracle executes.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {

std::vector<Refusal> refusals() {
  std::vector<Refusal> all;
  for (const Arch arch : {k75, k90}) {
    // Ways of indexing, and a mode of barriers, that no source describes.
    for (const char* const mode : {"IL", "IS", "ISL"})
      all.push_back({arch, fmt::format("LDC.{}@b82 d=20 a=4", mode), "this way of indexing constants",
                     "an indexed mode"});
    for (const char* const code : {"b1d", "51d b=4", "91d b=4", "31d b=4"})
      all.push_back({arch, fmt::format("BAR.SCAN@{}", code), "BAR.SCAN", ".SCAN"});
    const std::string types[] = {"U4.U4", "S4.S4"};
    for (const std::string& type : types)
      all.push_back(
          {arch, fmt::format("IMMA.8832.{}@237 d=4 a=8 b=9 c=10", type), "4-bit integers", "4-bit integers"});
  }
  // No fetch of PTX: ptxas makes gradients of these shapes in another way.
  struct Fetch {
    const char* name;
    const char* codes[3];
    const char* shapes[3];
    const char* last;
  };
  constexpr Fetch kFetches[] = {{"TLD", {"b66", "367", "f66"}, {"CUBE", "ARRAY_CUBE"}, ".LZ"},
                                {"TLD4", {"b63", "364", "f63"}, {"1D", "3D", "ARRAY_1D"}, ".R"},
                                {"TXD", {"b6c", "36d", "f6c"}, {"3D", "CUBE", "ARRAY_CUBE"}, ""}};
  for (const Fetch& of : kFetches)
    for (unsigned i = 0; i < 3; ++i) {
      const Arch arch = i < 2 ? k75 : k90;
      for (const char* const shape : of.shapes)
        if (shape != nullptr)
          all.push_back({arch,
                         fmt::format("{}.{}{}@{} d=20 a=4 b=8 72:4=15", of.name, shape, of.last, of.codes[i]),
                         "this shape", "this shape"});
      if (*of.last == 0)
        all.push_back({arch, fmt::format("TXD.SCR.2D@{} d=20 a=4 b=8 72:4=15", of.codes[i]),
                       "coordinates in B", "coordinates in B"});
    }
  // Copies of other sizes and orders, which no cp.async has.
  for (const char* const code : {"fae d=4 a=6", "dae d=4 a=6"}) {
    for (const char* const size : {"U8", "S8", "U16", "S16"})
      all.push_back(
          {k90, fmt::format("LDGSTS.E.{}@{}", size, code), "a copy of this size", "a copy of this kind"});
    for (const std::string& order : kOrders90)
      if (!order.empty())
        all.push_back({k90, fmt::format("LDGSTS.E{}@{}", order, code), "a copy that is not weak",
                       "a copy of this kind"});
  }
  // Of atomics: sums alone of numbers that are not whole, exchange alone of 128 bits.
  for (const char* const at : {"ATOM.E.{}.F16x2.RN.STRONG.GPU@9a2", "ATOMG.E.{}.F16x2.RN.STRONG.GPU@9a3",
                               "REDG.E.{}.F16x2.RN.STRONG.GPU@9a6"})
    for (const char* const operation : {"MIN", "MAX"})
      all.push_back({k90, fmt::format(fmt::runtime(at), operation) + " a=4 b=8", "only ADD is supported",
                     "an atomic operation of this type"});
  all.push_back({k90, "REDG.E.ADD.128.STRONG.GPU@98e a=4 b=8", "only EXCH and CAS exist",
                 "an atomic operation of this type"});
  // Clusters of several CTAs, and what only bulk copies say.
  all.push_back(
      {k90, "UBLKCP.S.S@3ba 32:6=4 24:6=8 64:6=10", "within shared memory", "within shared memory"});
  all.push_back(
      {k90, "UBLKCP.S.G.MULTICAST@3ba 32:6=4 24:6=8 64:6=10", "into several CTAs", "into several CTAs"});
  all.push_back(
      {k90, "SYNCS.ARRIVE.TRANS64.A0TX@9a7 a=4 b=8", "bytes that have come", "bytes that have come"});
  return all;
}

}  // namespace heddle::code_values
