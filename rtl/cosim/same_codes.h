// A model's enumeration that goes to the pins as a number, and the RTL's: the same codes, member by member.
#pragma once

#include <cstddef>

namespace heddle::cosim {

template <class Model, class Rtl>
struct CodePair {
  Model model;
  Rtl rtl;
};

/// All `count` codes of the RTL are listed, and the model's are the same. Members of the same name are paired
/// by the caller, so that a renamed one does not compile.
template <class Model, class Rtl, unsigned count, std::size_t listed>
consteval bool same_codes(const CodePair<Model, Rtl> (&pairs)[listed]) {
  unsigned expected = 0;
  for (const CodePair<Model, Rtl>& pair : pairs)
    if (static_cast<unsigned>(pair.model) != static_cast<unsigned>(pair.rtl) ||
        static_cast<unsigned>(pair.rtl) != expected++)
      return false;
  return listed == count;
}

}  // namespace heddle::cosim
