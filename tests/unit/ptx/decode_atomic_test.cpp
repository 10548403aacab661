// Which combinations of operation, type, space, order and scope atom and red have: exactly those that ptxas 13.0 takes,
// clusters' shared memory apart. bf16 is of sm_90.
#include <gtest/gtest.h>

#include <set>

#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_atomic_test {
namespace {

constexpr const char* kSpaces[] = {"", ".global", ".shared", ".shared::cta"};
constexpr const char* kScopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
constexpr const char* kTypes[] = {"b8",  "b16",   "b32",       "b64",         "u8",        "u16",
                                  "u32", "u64",   "s8",        "s16",         "s32",       "s64",
                                  "f16", "f16x2", "noftz.f16", "noftz.f16x2", "bf16",      "noftz.bf16",
                                  "f32", "f64",   "ftz.f32",   "noftz.f32",   "noftz.f64", "pred"};

struct Operation {
  const char* name;
  std::set<std::string> types;
  bool of_red = true;
};
const Operation kOperations[] = {
    {"add", {"u32", "s32", "u64", "f32", "f64", "noftz.f16", "noftz.f16x2", "noftz.bf16"}},
    {"min", {"u32", "s32", "u64", "s64"}},
    {"max", {"u32", "s32", "u64", "s64"}},
    {"and", {"b32", "b64"}},
    {"or", {"b32", "b64"}},
    {"xor", {"b32", "b64"}},
    {"inc", {"u32"}},
    {"dec", {"u32"}},
    {"exch", {"b32", "b64"}, false},
    {"cas", {"b16", "b32", "b64"}, false},
};

std::string register_for(const std::string& type) {
  if (type == "pred") return "%p1";
  if (type.ends_with("f32")) return "%f1";
  if (type.ends_with("f64")) return "%fd1";
  if (type.ends_with("64")) return "%rd2";
  if (type.ends_with("32") || type.ends_with("x2")) return "%r1";
  return "%rs1";
}

/// The instruction with the operands that its operation takes.
std::string written(bool atom, const std::string& modifiers, const std::string& operation,
                    const std::string& type) {
  const std::string value = register_for(type);
  return (atom ? "atom" : "red") + modifiers + "." + operation + "." + type + " " +
         (atom ? value + ", " : "") + "[%rd1], " + value + (operation == "cas" ? ", " + value : "") + ";";
}

TEST(PtxAtomics, EveryOperationTakesItsTypesAndNoOthersInEverySpace) {
  unsigned taken = 0;
  for (const bool atom : {true, false})
    for (const char* space : kSpaces)
      for (const Operation& operation : kOperations)
        for (const std::string type : kTypes) {
          const std::string text = written(atom, space, operation.name, type);
          const std::string error = body_error(text);
          const bool exists = operation.types.contains(type) && (atom || operation.of_red);
          EXPECT_EQ(error.empty(), exists) << text << "\n" << error;
          taken += error.empty() ? 1 : 0;
        }
  EXPECT_EQ(taken, std::size(kSpaces) * (29u + 24u));
}

TEST(PtxAtomics, OrdersAndScopesOfBothDifferInWhatAcquires) {
  struct Order {
    const char* name;
    bool of_atom;
    bool of_red;
  };
  constexpr Order kOrders[] = {{"", true, true},
                               {".relaxed", true, true},
                               {".acquire", true, false},
                               {".release", true, true},
                               {".acq_rel", true, false},
                               {".weak", false, false},
                               {".volatile", false, false},
                               {".sc", false, false}};
  for (const bool atom : {true, false})
    for (const Order& order : kOrders)
      for (const std::string scope : kScopes)
        for (const std::string space : kSpaces) {
          const std::string modifiers = order.name + scope + space;
          const std::string text = written(atom, modifiers, "add", "u64");
          EXPECT_EQ(body_error(text).empty(), atom ? order.of_atom : order.of_red) << text;
          EXPECT_NE(body_error(written(atom, modifiers, "add", "s64")), "") << modifiers;
        }
}

TEST(PtxAtomics, NoSpacesOfOneThreadOrOfConstants) {
  for (const bool atom : {true, false})
    for (const char* space : {".local", ".const", ".param"})
      EXPECT_NE(body_error(written(atom, space, "add", "u32")), "") << space;
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_atomic_test
