// Forms of control flow.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

const std::vector<Form>& control_forms() {
  static const std::vector<Form> forms = {
      {"bra", "uni?", "t", decode_branch}, {"exit", "", "", decode_exit},
      {"ret", "uni?", "", decode_exit},  // of an entry: the end of the thread
      {"trap", "", "", decode_trap},       {"brkpt", "", "", decode_breakpoint},
  };
  return forms;
}

}  // namespace heddle::ptx
