#include "frontend/ptx/decode/special.h"

#include <charconv>
#include <utility>

namespace heddle::ptx {
namespace {

using isa::SpecialRow;

constexpr std::pair<std::string_view, SpecialRow> kRows[] = {
    {"%tid.x", SpecialRow::kTidX},
    {"%tid.y", SpecialRow::kTidY},
    {"%tid.z", SpecialRow::kTidZ},
    {"%ntid.x", SpecialRow::kNtidX},
    {"%ntid.y", SpecialRow::kNtidY},
    {"%ntid.z", SpecialRow::kNtidZ},
    {"%ctaid.x", SpecialRow::kCtaidX},
    {"%ctaid.y", SpecialRow::kCtaidY},
    {"%ctaid.z", SpecialRow::kCtaidZ},
    {"%nctaid.x", SpecialRow::kNctaidX},
    {"%nctaid.y", SpecialRow::kNctaidY},
    {"%nctaid.z", SpecialRow::kNctaidZ},
    {"%laneid", SpecialRow::kLaneId},
    {"%warpid", SpecialRow::kWarpId},
    {"%nwarpid", SpecialRow::kNwarpId},
    {"%smid", SpecialRow::kSmId},
    {"%nsmid", SpecialRow::kNsmId},
    {"%lanemask_eq", SpecialRow::kLanemaskEq},
    {"%lanemask_lt", SpecialRow::kLanemaskLt},
    {"%lanemask_le", SpecialRow::kLanemaskLe},
    {"%lanemask_gt", SpecialRow::kLanemaskGt},
    {"%lanemask_ge", SpecialRow::kLanemaskGe},
    {"%dynamic_smem_size", SpecialRow::kDynamicSharedSize},
    {"%total_smem_size", SpecialRow::kTotalSharedSize},
    {"%clusterid.x", SpecialRow::kCtaidX},  // a CTA is a cluster of its own
    {"%clusterid.y", SpecialRow::kCtaidY},
    {"%clusterid.z", SpecialRow::kCtaidZ},
    {"%nclusterid.x", SpecialRow::kNctaidX},
    {"%nclusterid.y", SpecialRow::kNctaidY},
    {"%nclusterid.z", SpecialRow::kNctaidZ},
    {"%envreg1", SpecialRow::kGridWorkspaceHigh},
    {"%envreg2", SpecialRow::kGridWorkspaceLow},
};

constexpr std::string_view kUnsupportedRegisters[] = {"%aggr_smem_size", "%reserved_smem_offset_begin",
                                                      "%reserved_smem_offset_end",
                                                      "%reserved_smem_offset_cap"};

bool is_dimension_of(std::string_view vector, std::string_view name) {
  if (!name.starts_with(vector)) return false;
  name.remove_prefix(vector.size());
  return name == ".x" || name == ".y" || name == ".z";
}

}  // namespace

std::optional<SpecialRow> special_row(std::string_view name) {
  for (const auto& [known, row] : kRows)
    if (known == name) return row;
  return std::nullopt;
}

std::optional<SpecialConstant> special_constant(std::string_view name) {
  constexpr std::string_view kEnvironment = "%envreg";
  constexpr unsigned kEnvironmentRegisters = 32;
  if (name == "%current_graph_exec") return SpecialConstant{8, 0};
  if (name == "%is_explicit_cluster") return SpecialConstant{0, 0};
  if (name == "%cluster_ctarank" || is_dimension_of("%cluster_ctaid", name)) return SpecialConstant{4, 0};
  if (name == "%cluster_nctarank" || is_dimension_of("%cluster_nctaid", name)) return SpecialConstant{4, 1};
  if (name.ends_with(".w") && is_special_vector(name.substr(0, name.size() - 2)))
    return SpecialConstant{4, 0};
  if (!name.starts_with(kEnvironment)) return std::nullopt;
  const std::string_view digits = name.substr(kEnvironment.size());
  unsigned number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool canonical = digits.size() == 1 || (digits.size() == 2 && digits[0] != '0');
  if (!canonical || status != std::errc{} || end != digits.data() + digits.size() ||
      number >= kEnvironmentRegisters)
    return std::nullopt;
  return SpecialConstant{4, 0};
}

bool is_special_vector(std::string_view name) {
  for (const std::string_view known : {"%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid",
                                       "%cluster_ctaid", "%cluster_nctaid"})
    if (name == known) return true;
  return false;
}

bool is_unsupported_special(std::string_view name) {
  for (const std::string_view known : kUnsupportedRegisters)
    if (known == name) return true;
  return name.starts_with("%envreg") || name.starts_with("%pm") ||
         name.starts_with("%reserved_smem_offset") || is_special_vector(name);
}

}  // namespace heddle::ptx
