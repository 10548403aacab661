#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/profile_model.h"
#include "cli/profile_report.h"
#include "cli/text_table.h"

namespace heddle::cli::profile_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr auto kAlu = static_cast<unsigned>(core::WaitCause::kScoreboardAlu);
constexpr auto kMemory = static_cast<unsigned>(core::WaitCause::kScoreboardMemory);
constexpr auto kBarrier = static_cast<unsigned>(core::WaitCause::kBarrier);

/// Four instructions on the lines 2, 3, 3 and 4 of a file.
std::shared_ptr<const isa::Kernel> code(const std::string& name = "saxpy") {
  auto source = std::make_shared<isa::SourceText>();
  source->name = "some/folder/saxpy.ptx";
  source->lines = {"// saxpy", "  ld.global.f32 %f1, [%rd1];", "\tadd.f32 %f2, %f1, %f1; ret;",
                   "  " + std::string(100, 'x')};
  auto kernel = std::make_shared<isa::Kernel>();
  kernel->name = name;
  kernel->source = source;
  kernel->code.resize(4);
  for (std::uint32_t pc = 0; pc < 4; ++pc) kernel->code[pc].where.line = std::array{2u, 3u, 3u, 4u}[pc];
  kernel->code[0].unit = isa::Unit::kMemory;
  kernel->code[2].op = isa::Opcode::kBranch;
  return kernel;
}

/// The same as machine code of three files, two of which have one name.
std::shared_ptr<const isa::Kernel> machine_code() {
  auto kernel = std::make_shared<isa::Kernel>(*code());
  auto source = std::make_shared<isa::SourceText>(*kernel->source);
  source->origins = {{}, {"one/scale.cu", 7}, {"two/scale.cu", 7}, {"one/other.cu", 7}};
  for (std::uint32_t pc = 0; pc < 4; ++pc) kernel->code[pc].where.line = std::array{2u, 2u, 3u, 4u}[pc];
  kernel->source = source;
  kernel->instruction_bytes = 16;
  kernel->allocated_registers = 8;  // only machine code has some
  return kernel;
}

nlohmann::ordered_json pcs_in_json(const std::vector<KernelHeat>& kernels) {
  RunHeader header;
  header.identity = nlohmann::ordered_json::object();
  return profile_json(header, "tiny", kernels)["kernels"][0]["pcs"];
}

/// Of each launch: 10 x (4 + 0 + 8 + 0) group-cycles of waiting and 3 x 10 issues.
gpu::KernelRecord launched(const std::shared_ptr<const isa::Kernel>& code) {
  gpu::KernelRecord record;
  record.kernel = code->name;
  record.code = code;
  record.launches = 1;
  record.cycles = 500;
  core::KernelProfile& profile = record.profile.emplace(4);
  for (std::uint32_t pc = 0; pc < 3; ++pc) {
    profile.at(base::Pc{pc}).issues = 10;
    profile.at(base::Pc{pc}).lanes = 155;
  }
  profile.at(base::Pc{0}).transactions = 25;
  profile.at(base::Pc{0}).extra_passes = 5;
  profile.at(base::Pc{0}).waiting[kAlu] = 40;
  profile.at(base::Pc{2}).divergences = 7;
  profile.at(base::Pc{2}).waiting[kMemory] = 60;
  profile.at(base::Pc{2}).waiting[kBarrier] = 16;
  profile.at(base::Pc{2}).waiting[kAlu] = 4;
  return record;
}

TEST(ProfileModel, HotterKernelsComeFirst) {
  const auto a = code("a");
  const auto b = code("b");
  gpu::KernelRecord none = launched(b);
  none.profile.reset();
  gpu::KernelRecord twice = launched(b);
  twice += launched(b);
  *twice.profile += *launched(b).profile;
  twice.launches = 2;
  const auto kernels = profiled_kernels({launched(a), none, twice});
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].code, b);
  EXPECT_EQ(kernels[0].launches, 2u);
  EXPECT_EQ(kernels[0].cycles, 1000u);
  EXPECT_EQ(kernels[0].by_pc[0].transactions, 50u);
  EXPECT_EQ(kernels[0].total.issues, 60u);
  EXPECT_EQ(kernels[0].total.group_cycles(), 300u);
  EXPECT_EQ(kernels[1].total.group_cycles(), 150u);
  EXPECT_THAT(profiled_kernels({none}), IsEmpty());
}

TEST(ProfileModel, HottestFirstAndNothingTwice) {
  const KernelHeat kernel = profiled_kernels({launched(code())})[0];
  EXPECT_THAT(kernel.hottest(), ElementsAre(base::Pc{2}, base::Pc{0}, base::Pc{1}));
  const auto lines = hottest_lines(kernel);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].line, 3u);
  EXPECT_EQ(lines[0].pcs, 2u);
  EXPECT_EQ(lines[0].sum.group_cycles(), 100u);
  EXPECT_EQ(lines[1].sum.group_cycles(), 50u);
}

TEST(ProfileModel, CausesInWords) {
  const std::vector<std::string> causes = core::wait_cause_names();
  core::PcProfile p;
  EXPECT_EQ(waits_for(p, causes), "");
  p.waiting[kBarrier] = 5;
  EXPECT_EQ(waits_for(p, causes), "barrier 100 %");
  p.waiting[kMemory] = 90;
  p.waiting[kAlu] = 5;
  EXPECT_EQ(waits_for(p, causes), "scoreboard_memory 90 %");
  p.waiting[kAlu] = 15;
  EXPECT_EQ(waits_for(p, causes), "scoreboard_memory 82 %, scoreboard_alu 14 %");
}

TEST(ProfileReport, CausesOfExtensionsGatesHaveTheirNames) {
  gpu::KernelRecord record = launched(code());
  record.profile.emplace(4, std::vector<std::string>{"token", "backed_off"})
      .at(base::Pc{1})
      .waiting[kBarrier + 2] = 1200;
  const auto kernels = profiled_kernels({record});
  const std::string text = profile_text(kernels, 20);
  EXPECT_THAT(text, AllOf(HasSubstr("backed_off  1,200  100.0 %"), HasSubstr("backed_off 100 %")));
  EXPECT_THAT(profile_listing(kernels), HasSubstr("backed_off"));
  EXPECT_THAT(text, Not(HasSubstr("token")));
  const auto json = profile_json({"saxpy", "", {{"workload", "saxpy"}}, true, "ok"}, "tiny",
                                 kernels)["kernels"][0]["total"]["waiting"];
  EXPECT_EQ(json["backed_off"], 1200u);
  EXPECT_EQ(json["token"], 0u);
}

TEST(ProfileReport, TableHasHottestFirstWithUnitsAndSource) {
  const auto kernels = profiled_kernels({launched(code())});
  const std::string text = profile_text(kernels, 20);
  EXPECT_THAT(text, AllOf(HasSubstr("Kernel saxpy of saxpy.ptx: 1 launch, 500 core cycles\n"),
                          HasSubstr("group-cycles    150, of which\n"),
                          HasSubstr("A group-cycle is one issue group"), Not(HasSubstr("some/folder"))));
  EXPECT_THAT(
      text, HasSubstr("60.0 %            90  0x010     3      10   15.5        7       -       -       80  "
                      "scoreboard_memory 75 %, barrier 20 %  add.f32 %f2, %f1, %f1; ret;\n"
                      "  33.3 %            50  0x000     2      10   15.5        -    2.50    0.50       40  "
                      "scoreboard_alu 100 %                  ld.global.f32 %f1, [%rd1];\n"));
  EXPECT_THAT(text, HasSubstr("66.7 %           100     3    2      20       80  "))
      << "the line with two instructions";
  EXPECT_THAT(text, Not(HasSubstr("xxxx"))) << "never reached";
}

TEST(ProfileReport, TopCutsBothTables) {
  const auto kernels = profiled_kernels({launched(code())});
  const std::string text = profile_text(kernels, 1);
  EXPECT_THAT(text,
              AllOf(HasSubstr("  ... 2 more\n"), HasSubstr("  ... 1 more\n"), Not(HasSubstr("ld.global"))));
  EXPECT_THAT(profile_text(kernels, 3), Not(HasSubstr("more")));
}

TEST(ProfileReport, NoLineTableWhereEveryLineIsOneInstruction) {
  auto kernel = std::make_shared<isa::Kernel>(*code());
  kernel->code[2].where.line = 1;
  EXPECT_THAT(profile_text(profiled_kernels({launched(kernel)}), 20), Not(HasSubstr("By line")));
}

TEST(ProfileReport, ListingHasEveryInstructionInOrderAndOnlyCausesThatOccur) {
  const std::string text = profile_listing(profiled_kernels({launched(code())}));
  EXPECT_THAT(text, AllOf(HasSubstr("scoreboard_alu  scoreboard_memory  barrier  PTX\n"),
                          HasSubstr("0x018     4       0      -"), HasSubstr(std::string(100, 'x')),
                          Not(HasSubstr("not_selected"))));
  EXPECT_LT(text.find("0x000"), text.find("0x008"));
}

TEST(ProfileReport, JsonHasEveryPcAndTheTotals) {
  const auto json = profile_json({"saxpy", "", {{"workload", "saxpy"}}, true, "ok"}, "tiny",
                                 profiled_kernels({launched(code())}));
  EXPECT_EQ(json.at("workload"), "saxpy");
  EXPECT_EQ(json.at("platform"), "tiny");
  const auto& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("source"), "saxpy.ptx");
  EXPECT_EQ(kernel.at("total").at("group_cycles"), 150);
  ASSERT_EQ(kernel.at("pcs").size(), 4u);
  EXPECT_EQ(kernel.at("pcs").at(2).at("pc"), "0x010");
  EXPECT_EQ(kernel.at("pcs").at(2).at("line"), 3);
  EXPECT_EQ(kernel.at("pcs").at(2).at("waiting").at("barrier"), 16);
  EXPECT_EQ(kernel.at("pcs").at(2).at("waiting").size(), core::kOwnWaitCauses);
  EXPECT_EQ(kernel.at("pcs").at(0).at("transactions"), 25);
  EXPECT_EQ(kernel.at("pcs").at(3).at("issues"), 0);
}

TEST(ProfileModel, FilesOfOneNameAreNotTakenForEachOther) {
  const std::vector<KernelHeat> kernels = profiled_kernels({launched(machine_code())});
  std::vector<std::string> files;
  for (const LineHeat& line : hottest_lines(kernels.at(0))) files.push_back(line.file);
  EXPECT_THAT(files, testing::UnorderedElementsAre("one/scale.cu", "two/scale.cu"));
  const std::string text = profile_text(kernels, 10);
  EXPECT_THAT(text, AllOf(HasSubstr(" one/scale.cu:7 "), HasSubstr(" two/scale.cu:7 ")));
  const nlohmann::ordered_json pcs = pcs_in_json(kernels);
  EXPECT_EQ(pcs[0]["program_line"], "one/scale.cu:7");
  EXPECT_EQ(pcs[2]["program_line"], "two/scale.cu:7");
  EXPECT_EQ(pcs[3]["program_line"], "other.cu:7") << "there is one other.cu";
}

TEST(ProfileReport, TheTextOfMachineCodeIsSass) {
  const nlohmann::ordered_json machine = pcs_in_json(profiled_kernels({launched(machine_code())}));
  EXPECT_EQ(machine[0].value("sass", ""), "ld.global.f32 %f1, [%rd1];");
  EXPECT_FALSE(machine[0].contains("ptx"));
  EXPECT_FALSE(pcs_in_json(profiled_kernels({launched(code())}))[0].contains("sass"));
}

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table(1, {.right = {1}});
  table.row({"a", "1", "x"});
  table.row({"long", "100", ""});
  EXPECT_EQ(table.text(), " a       1  x\n long  100\n");
}

}  // namespace
}  // namespace heddle::cli::profile_test
