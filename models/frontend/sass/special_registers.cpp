#include "frontend/sass/special_registers.h"

#include <algorithm>
#include <iterator>

namespace heddle::sass {
namespace {

struct SpecialRegister {
  std::int64_t id;
  std::string_view name;
};
constexpr SpecialRegister kSpecialRegisters[] = {
    {0x00, "SR_LANEID"},        {0x02, "SR_VIRTCFG"},  {0x03, "SR_VIRTID"},    {0x20, "SR_TID"},
    {0x21, "SR_TID.X"},         {0x22, "SR_TID.Y"},    {0x23, "SR_TID.Z"},     {0x25, "SR_CTAID.X"},
    {0x26, "SR_CTAID.Y"},       {0x27, "SR_CTAID.Z"},  {0x2f, "SR_SWINHI"},    {0x30, "SR_SWINLO"},
    {0x31, "SR_SWINSZ"},        {0x32, "SR_SMEMSZ"},   {0x33, "SR_SMEMBANKS"}, {0x34, "SR_LWINLO"},
    {0x35, "SR_LWINSZ"},        {0x36, "SR_LMEMLOSZ"}, {0x37, "SR_LMEMHIOFF"}, {0x38, "SR_EQMASK"},
    {0x39, "SR_LTMASK"},        {0x3a, "SR_LEMASK"},   {0x3b, "SR_GTMASK"},    {0x3c, "SR_GEMASK"},
    {0x43, "SR_VIRTUALSMID"},   {0x50, "SR_CLOCKLO"},  {0x51, "SR_CLOCKHI"},   {0x52, "SR_GLOBALTIMERLO"},
    {0x53, "SR_GLOBALTIMERHI"}, {0x64, "SR_PM0"},      {0x65, "SR_PM1"},       {0x66, "SR_PM2"},
    {0x67, "SR_PM3"},           {0x68, "SR_PM4"},      {0x69, "SR_PM5"},       {0x6a, "SR_PM6"},
    {0x6b, "SR_PM7"},           {0x88, "SR_CgaCtaId"}, {0xff, "SRZ"},
};

}  // namespace

std::string_view special_register_name(std::int64_t id) {
  const auto* const row = std::find_if(std::begin(kSpecialRegisters), std::end(kSpecialRegisters),
                                       [&](const SpecialRegister& each) { return each.id == id; });
  return row == std::end(kSpecialRegisters) ? std::string_view() : row->name;
}

}  // namespace heddle::sass
