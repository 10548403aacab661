#include "unit/hang/support.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "unit/ptx/support.h"

namespace heddle::hang::testing {

bool FakeMemory::read(const Word& word, std::uint32_t& value) const {
  const auto found = now.find(word.address);
  value = found == now.end() ? 0 : found->second;
  return true;
}

void FakeMemory::others(const Word& word, std::vector<std::uint64_t>& values) const {
  if (const auto found = earlier.find(word.address); found != earlier.end())
    values.insert(values.end(), found->second.begin(), found->second.end());
}

bool FakeMemory::accessible(std::uint64_t address, std::uint64_t bytes, bool /*writes*/) const {
  return address >= kData && address + bytes <= kData + kBytes;
}

std::string FakeMemory::name(const Word& word) const {
  return "data + " + std::to_string(word.address - kData);
}

Scene::Scene(const std::string& body, unsigned warps) : kernel_(ptx::testing::kernel(body)), special_(warps) {
  snapshot.kernel = kernel_.get();
  snapshot.memory = &memory;
  snapshot.holder = [](const Word&) { return Holder{}; };
  snapshot.ctas.resize(1);
  snapshot.ctas[0].expected.fill(warps * kLanes);
  snapshot.block = {warps * kLanes, 1, 1};
  snapshot.through_l1.assign(kernel_->code.size(), false);
  for (unsigned w = 0; w < warps; ++w) {
    special_[w].assign(isa::kSpecialBlockBytes, std::byte{0});
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t tid = w * kLanes + lane;
      std::memcpy(special_[w].data() + isa::special_offset(isa::SpecialRow::kTidX) + lane * sizeof tid, &tid,
                  sizeof tid);
    }
    WarpState& warp = snapshot.warps.emplace_back();
    warp.warp_in_cta = w;
    warp.linear_warp = w;
    warp.live = LaneMask::all();
    warp.special = special_[w].data();
    warp.registers.assign(kernel_->registers.bytes(), std::byte{0});
    set(w, "%rd1", FakeMemory::kData);
  }
}

Pc Scene::pc_of(unsigned line) const {
  constexpr unsigned kFirst = 6;  // of the body, in the module's text
  for (std::uint32_t pc = 0; pc < kernel_->code.size(); ++pc)
    if (kernel_->code[pc].where.line >= kFirst + line - 1) return Pc{pc};
  throw std::out_of_range("no instruction there");
}

void Scene::run(unsigned warp, LaneMask lanes, unsigned line, bool starved) {
  snapshot.warps[warp].running.push_back({lanes, pc_of(line), true, false, starved});
}

void Scene::hold(unsigned warp, LaneMask lanes, unsigned line, unsigned until_line) {
  snapshot.warps[warp].held.push_back({lanes, pc_of(line), Suspension::kReconverging, {pc_of(until_line)}});
}

void Scene::wait_at_barrier(unsigned warp, LaneMask lanes, unsigned line) {
  snapshot.warps[warp].waiting.push_back({lanes, pc_of(line), 0, false});
  snapshot.ctas[0].arrived[0] += lanes.count();
}

void Scene::set(unsigned warp, const std::string& reg, std::uint64_t value) {
  const auto& names = kernel_->register_names;
  const auto found = std::find(names.begin(), names.end(), reg);
  if (found == names.end()) return;  // the kernel does not use it
  const auto id = static_cast<std::uint32_t>(found - names.begin());
  const isa::RegisterLayout& layout = kernel_->registers;
  std::byte* const registers = snapshot.warps[warp].registers.data();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (id < layout.rows32)
      std::memcpy(registers + layout.offset32(id) + lane * 4, &value, 4);
    else
      std::memcpy(registers + layout.offset64(id - layout.rows32) + lane * 8, &value, 8);
  }
}

void Scene::spread(unsigned ctas) {
  const auto warps = static_cast<unsigned>(snapshot.warps.size()) / ctas;
  CtaState cta;
  cta.expected.fill(warps * kLanes);
  snapshot.ctas.assign(ctas, cta);
  snapshot.block = {warps * kLanes, 1, 1};
  snapshot.grid = {ctas, 1, 1};
  for (unsigned w = 0; w < snapshot.warps.size(); ++w) {
    WarpState& warp = snapshot.warps[w];
    warp.core = warp.cta = w / warps;
    warp.warp_in_cta = w % warps;
    snapshot.ctas[warp.cta].core = warp.core;
    snapshot.ctas[warp.cta].id = {warp.cta, 0, 0};
  }
}

void Scene::put(unsigned line, const isa::Instruction& instruction) {
  isa::Kernel changed = *kernel_;
  isa::Instruction& there = changed.code[pc_of(line).value()];
  const isa::SourceLoc where = there.where;
  there = instruction;
  there.where = where;
  kernel_ = std::make_shared<const isa::Kernel>(std::move(changed));
  snapshot.kernel = kernel_.get();
}

/// Lanes that the test does not mention have ended.
void Scene::settle() {
  for (WarpState& warp : snapshot.warps) {
    warp.live = LaneMask{};
    for (const RunningLanes& running : warp.running) warp.live |= running.lanes;
    for (const SuspendedLanes& held : warp.held) warp.live |= held.mask;
    for (const WaitingLanes& waiting : warp.waiting) warp.live |= waiting.lanes;
  }
}

bool Scene::hangs() {
  settle();
  HangProof proof(snapshot);
  WhatIf question;
  question.stop_at_first = true;
  question.try_harder = true;
  return proof.explore(question).nobody_leaves();
}

}  // namespace heddle::hang::testing
