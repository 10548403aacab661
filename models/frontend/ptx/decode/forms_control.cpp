// Forms of control flow.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

const std::vector<Form>& control_forms() {
  static const std::vector<Form> forms = {
      {"bra", "uni?", "t", decode_branch},
      {"brx", "idx uni?", "u32 t", decode_indirect_branch},
      {"exit", "", "", decode_exit},
      {"ret", "uni?", "", decode_return},  // in an entry function: ends the thread
      {"call", "uni?", "t t? t? t?", decode_call},
      {"ld", "space=param::func vec=v2|v4? @data", "=t t", decode_load},
      {"st", "space=param|param::func vec=v2|v4? @data", "t t", decode_store_param},
      {"alloca", "u32|u64", "=t t u32?", decode_alloca},
      {"stacksave", "u32|u64", "=t", decode_stack_save},
      {"stackrestore", "u32|u64", "t", decode_stack_restore},
      {"trap", "", "", decode_trap},
      {"brkpt", "", "", decode_breakpoint},
  };
  return forms;
}

}  // namespace heddle::ptx
