// Statements of a tree to PTX text.
#include "generator/emitter.h"

#include "generator/templates.h"

namespace heddle::generator {

namespace {

std::string with_predicate(std::string condition, const std::string& predicate) {
  for (std::size_t at = condition.find('@'); at != std::string::npos; at = condition.find('@', at))
    condition.replace(at, 1, predicate);
  return condition;
}

}  // namespace

void Emitter::block(const Block& nodes, const LoopOr& loop) {
  for (const Node& node : nodes) statement(node, loop);
}

void Emitter::statement(const Node& node, const LoopOr& loop) {
  switch (node.kind) {
    case NodeKind::kLines:
      for (const std::string& text : node.lines) line(text);
      break;
    case NodeKind::kGuarded:
      line(with_predicate(node.conditions[0], "%g"));
      for (const std::string& text : node.lines) line("@%g " + text);
      break;
    case NodeKind::kIf:
      branch(node, loop);
      break;
    case NodeKind::kLoop:
      counted_loop(node);
      break;
    case NodeKind::kUniform:
      uniform_loop(node, loop);
      break;
    case NodeKind::kSwitch:
      chain(node, loop);
      break;
    case NodeKind::kBreak:
    case NodeKind::kContinue:
      if (!loop) break;
      line(with_predicate(node.conditions[0], "%q"));
      line("@%q bra " + (node.kind == NodeKind::kBreak ? loop->break_label : loop->continue_label) + ";");
      break;
    case NodeKind::kExit:
      leave(node);
      break;
    case NodeKind::kExchange:
      exchange(node);
      break;
    case NodeKind::kCall:
      call(node);
      break;
  }
}

void Emitter::branch(const Node& node, const LoopOr& loop) {
  const std::string otherwise = fresh_label("else");
  const std::string end = fresh_label("endif");
  for (const std::string& condition : node.conditions) {
    line(with_predicate(condition, "%q"));
    if (node.style == 0) {
      line("@!%q bra " + otherwise + ";");
    } else {
      const std::string then = fresh_label("then");
      line("@%q bra " + then + ";");
      line("bra " + otherwise + ";");
      label(then);
    }
  }
  block(node.blocks[0], loop);
  if (!node.blocks[1].empty()) line("bra " + end + ";");
  label(otherwise);
  block(node.blocks[1], loop);
  label(end);
}

/// Style 0 tests before the body, style 1 behind it.
void Emitter::counted_loop(const Node& node) {
  const std::string head = fresh_label("head");
  const std::string next = fresh_label("next");
  const std::string end = fresh_label("done");
  const std::string counter = fresh_counter();
  line("and.b32 " + counter + ", " + node.source + ", " + std::to_string(node.count) + ";");
  if (node.style == 0) {
    label(head);
    line("setp.eq.u32 %q, " + counter + ", 0;");
    line("@%q bra " + end + ";");
    line("sub.u32 " + counter + ", " + counter + ", 1;");
    block(node.blocks[0], Loop{end, head});
    line("bra " + head + ";");
  } else {
    line("add.u32 " + counter + ", " + counter + ", 1;");
    label(head);
    block(node.blocks[0], Loop{end, next});
    label(next);
    line("sub.u32 " + counter + ", " + counter + ", 1;");
    line("setp.ne.u32 %q, " + counter + ", 0;");
    line("@%q bra " + head + ";");
  }
  label(end);
}

void Emitter::uniform_loop(const Node& node, const LoopOr& loop) {
  const std::string head = fresh_label("uniform");
  const std::string counter = fresh_counter();
  line("mov.u32 " + counter + ", " + std::to_string(node.count) + ";");
  label(head);
  block(node.blocks[0], loop);
  line("sub.u32 " + counter + ", " + counter + ", 1;");
  line("setp.ne.u32 %q, " + counter + ", 0;");
  line("@%q bra " + head + ";");
}

void Emitter::chain(const Node& node, const LoopOr& loop) {
  const std::string end = fresh_label("endswitch");
  const std::size_t cases = node.blocks.size() - 1;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i <= cases; ++i) labels.push_back(fresh_label("case"));
  line("and.b32 %s0, " + node.source + ", 3;");
  if (node.style >= 4) {
    const std::string table = fresh_label("targets");
    std::string targets;
    for (const std::string& name : labels) targets += (targets.empty() ? "" : ", ") + name;
    line("min.u32 %s0, %s0, " + std::to_string(cases) + ";");
    out_ += table + ": .branchtargets " + targets + ";\n";
    line("brx.idx %s0, " + table + ";");
  } else {
    for (std::size_t i = 0; i < cases; ++i) {
      line("setp.eq.u32 %q, %s0, " + std::to_string(i) + ";");
      line("@%q bra " + labels[i] + ";");
    }
    line("bra " + labels[cases] + ";");
  }
  for (std::size_t i = 0; i <= cases; ++i) {
    label(labels[i]);
    block(node.blocks[i], loop);
    if (node.style % 4 != 0 && i < cases) line("bra " + end + ";");
  }
  label(end);
}

void Emitter::leave(const Node& node) {
  if (function_) return give_back(node);
  line(with_predicate(node.conditions[0], "%q"));
  if (node.style == 2) {
    const std::string stay = fresh_label("stay");
    line("@!%q bra " + stay + ";");
    line("st.global.u32 [%own], %r0;");
    line("exit;");
    label(stay);
  } else {
    line(node.style == 0 ? "@%q exit;" : "@%q ret;");
  }
}

void Emitter::exchange(const Node& node) {
  if (!tree_.barriers) return;
  const auto threads = static_cast<unsigned>(tree_.shape.block.count());
  const std::string barrier =
      node.style == 1 && threads % 32 == 0 ? "bar.sync 0, " + std::to_string(threads) + ";" : "bar.sync 0;";
  line("st.shared.u32 [%mine], " + node.source + ";");
  line(barrier);
  line("add.u32 %s0, %me, " + std::to_string(node.count % threads) + ";");
  line("rem.u32 %s0, %s0, " + std::to_string(threads) + ";");
  line("shl.b32 %s0, %s0, 2;");
  line("mov.u32 %s1, exchange;");
  line("add.u32 %s0, %s0, %s1;");
  line("ld.shared.u32 " + node.lines[0] + ", [%s0];");
  line(barrier);
}

/// Style 1 chooses among the functions from `count` on by data, thread by thread.
void Emitter::call(const Node& node) {
  const auto functions = static_cast<unsigned>(tree_.functions.size());
  if (node.count >= functions) return;
  const bool itself = function_ && *function_ == node.count && node.style == 0;
  const std::string skip = fresh_label("deep");
  if (itself) {
    line("setp.eq.u32 %q, %depth, 0;");
    line("@%q bra " + skip + ";");
  }
  const std::string depth = "%s1";
  line(!function_ ? "mov.u32 %s1, 3;" : itself ? "sub.u32 %s1, %depth, 1;" : "mov.u32 %s1, %depth;");
  std::string callee = function_name(node.count);
  std::string prototype;
  if (node.style == 1) {
    line("rem.u32 %s0, " + node.source + ", " + std::to_string(functions - node.count) + ";");
    line("mul.wide.u32 %x0, %s0, 8;");
    line("mov.u64 %x1, functions;");
    line("add.s64 %x0, %x1, %x0;");
    line("ld.global.u64 %x1, [%x0+" + std::to_string(node.count * 8) + "];");
    callee = "%x1";
    const std::string name = fresh_label("prototype");
    out_ += name + ": .callprototype " + kResultTypes + " _ " + kArgumentTypes + ";\n";
    prototype = ", " + name;
  }
  line("{");
  for (const char* text : {".param .b32 a0;", ".param .b64 a1;", ".param .f32 a2;", ".param .b32 a3;",
                           ".param .b32 a4;", ".param .b32 a5;", ".param .b64 a6;", ".param .b64 a7;",
                           ".param .b64 a8;", ".param .b32 t0;", ".param .b64 t1;", ".param .f32 t2;"})
    line(text);
  line("st.param.b32 [a0], " + node.source + ";");
  line("st.param.b64 [a1], " + node.lines[1] + ";");
  line("st.param.f32 [a2], " + node.lines[2] + ";");
  line("st.param.b32 [a3], " + depth + ";");
  for (const char* text : {"st.param.b32 [a4], %me;", "st.param.b32 [a5], %mine;", "st.param.b64 [a6], %own;",
                           "st.param.b64 [a7], %in;", "st.param.b64 [a8], %cnt;"})
    line(text);
  line("call (t0, t1, t2), " + callee + ", (a0, a1, a2, a3, a4, a5, a6, a7, a8)" + prototype + ";");
  line("ld.param.b32 " + node.lines[0] + ", [t0];");
  line("ld.param.b64 " + node.lines[1] + ", [t1];");
  line("ld.param.f32 " + node.lines[2] + ", [t2];");
  line("}");
  if (itself) label(skip);
}

/// Style 0 goes to the function's end, 1 returns from here, 2 ends the thread.
void Emitter::give_back(const Node& node) {
  line(with_predicate(node.conditions[0], "%q"));
  if (node.style == 0) {
    line("@%q bra $L_end;");
  } else if (node.style == 1) {
    store_results();
    line("@%q ret;");
  } else {
    line("@%q exit;");
  }
}

void Emitter::store_results() {
  line("xor.b32 %s0, %r0, %r5;");
  line("selp.b32 %s1, %r1, %r2, %p1;");
  line("add.u32 %s0, %s0, %s1;");
  line("cvt.u32.u16 %s1, %k1;");
  line("xor.b32 %s0, %s0, %s1;");
  line("st.param.b32 [result0], %s0;");
  line("mov.b64 %x0, %d0;");
  line("xor.b64 %x0, %x0, %w0;");
  line("sub.s64 %x0, %x0, %w3;");
  line("st.param.b64 [result1], %x0;");
  line("st.param.f32 [result2], %f1;");
}

}  // namespace heddle::generator
