#include "frontend/sass/other_operations.h"

#include <algorithm>
#include <iterator>

namespace heddle::sass {
namespace {

struct OtherOperation {
  unsigned code;
  std::string_view name;
};
constexpr OtherOperation kOtherOperations[] = {
    // tensor cores and matrices
    {0x236, "HMMA.884"},
    {0x23d, "BMMA"},
    {0x23f, "DMMA"},
    // textures and surfaces
    {0x361, "TEX"},
    {0xb60, "TEX"},
    {0xb61, "TEX"},
    {0xf60, "TEX"},
    {0x364, "TLD4"},
    {0xb63, "TLD4"},
    {0x367, "TLD"},
    {0xb66, "TLD"},
    {0xb6c, "TXD"},
    {0x36d, "TXD"},
    {0xb6f, "TXQ"},
    {0x370, "TXQ"},
    {0x99a, "SULD"},
    {0xb99, "SULD"},
    {0x99c, "SUST"},
    {0xf66, "TLD"},
    {0xf99, "SULD"},
    {0xf9d, "SUST"},
    {0xb9d, "SUST"},
    // conversions and packed arithmetic
    {0x822, "FSWZADD"},
    // clusters, tensor maps, bulk reductions
    {0x3bb, "UBLKRED"},
    {0x3b5, "UTMASTG"},
    {0x3b6, "UTMAREDG"},
    {0x3b4, "UTMALDG"},
    {0x5b4, "UTMALDG"},
    {0x5b8, "UTMAPF"},
    {0x9b9, "UTMACCTL"},
    {0xdbd, "STAS"},
    {0xdbe, "REDAS"},
    // products of warp groups
    {0x9c5, "WARPGROUP"},
    {0x9c8, "USETMAXREG"},
    {0x9f0, "HGMMA"},
    {0xdf0, "HGMMA"},
    {0x9f1, "IGMMA"},
    {0x9f2, "BGMMA"},
    {0x9f3, "QGMMA"},
    {0x9a4, "LDGMC"},
    {0x9a5, "LDGMC"},
};

}  // namespace

std::string_view other_operation(unsigned code) {
  const auto* const row = std::find_if(std::begin(kOtherOperations), std::end(kOtherOperations),
                                       [&](const OtherOperation& each) { return each.code == code; });
  return row == std::end(kOtherOperations) ? std::string_view() : row->name;
}

}  // namespace heddle::sass
