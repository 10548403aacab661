#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>

#include "base/error.h"
#include "cli/kernel_argument.h"

namespace heddle::cli::argument_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
T scalar(const std::string& text) {
  const KernelArgument argument = parse_argument(text);
  EXPECT_EQ(argument.kind, KernelArgument::Kind::kScalar);
  EXPECT_EQ(argument.value.size(), sizeof(T)) << text;
  T value{};
  std::memcpy(&value, argument.value.data(), std::min(sizeof value, argument.value.size()));
  return value;
}

template <class T>
std::vector<T> filled(const std::string& text) {
  const auto bytes = fill_bytes(parse_argument(text));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string error_of(const std::vector<std::string>& texts) {
  try {
    for (const KernelArgument& argument : parse_arguments(texts)) (void)fill_bytes(argument);
  } catch (const base::InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(KernelArgument, ScalarsOfEveryType) {
  EXPECT_EQ(scalar<std::uint8_t>("u8=255"), 255);
  EXPECT_EQ(scalar<std::int8_t>("s8=-128"), -128);
  EXPECT_EQ(scalar<std::uint16_t>("u16=65535"), 65535);
  EXPECT_EQ(scalar<std::int16_t>("s16=-1"), -1);
  EXPECT_EQ(scalar<std::uint32_t>("u32=0xffffffff"), 0xffffffffu);
  EXPECT_EQ(scalar<std::int32_t>("s32=-5"), -5);
  EXPECT_EQ(scalar<std::uint64_t>("u64=18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(scalar<std::int64_t>("s64=-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(scalar<float>("f32=-1.5e3"), -1500.0f);
  EXPECT_EQ(scalar<double>("f64=0.1"), 0.1);
}

TEST(KernelArgument, HexadecimalGivesTheBits) { EXPECT_EQ(scalar<std::int32_t>("s32=0xffffffff"), -1); }

TEST(KernelArgument, ScalarsOutOfRangeNameTheRange) {
  EXPECT_EQ(error_of({"u8=256"}),
            "--arg u8=256: '256' is not a value of type u8\n  give a whole number from 0 to 255");
  EXPECT_THAT(error_of({"u32=-1"}), HasSubstr("'-1' is not a value of type u32"));
  EXPECT_THAT(error_of({"s32=1.5"}), HasSubstr("not a value of type s32"));
  EXPECT_THAT(error_of({"f32=abc"}), HasSubstr("give a number such as"));
  EXPECT_THAT(error_of({"u32="}), HasSubstr("'' is not a value"));
  EXPECT_THAT(error_of({"u32=0x"}), HasSubstr("'0x' is not a value"));
  EXPECT_THAT(error_of({"u8=0x100"}), HasSubstr("not a value of type u8"));
}

TEST(KernelArgument, BufferSizesInBytesAndElements) {
  const KernelArgument bytes = parse_argument("buf=a:4096");
  EXPECT_EQ(bytes.kind, KernelArgument::Kind::kBuffer);
  EXPECT_EQ(bytes.name, "a");
  EXPECT_EQ(bytes.bytes, 4096u);
  EXPECT_EQ(bytes.element, isa::Type::kU8);
  const KernelArgument elements = parse_argument("buf=b_2:10xf64:iota");
  EXPECT_EQ(elements.bytes, 80u);
  EXPECT_EQ(elements.element, isa::Type::kF64);
  EXPECT_EQ(elements.fill, "iota");
}

TEST(KernelArgument, FillsAreTyped) {
  EXPECT_TRUE(filled<float>("buf=a:3xf32").empty()) << "zero needs no bytes";
  EXPECT_TRUE(filled<float>("buf=a:3xf32:zero").empty());
  EXPECT_THAT(filled<float>("buf=a:3xf32:iota"), ElementsAre(0.0f, 1.0f, 2.0f));
  EXPECT_THAT(filled<std::uint8_t>("buf=a:3:iota"), ElementsAre(0, 1, 2));
  EXPECT_THAT(filled<std::int16_t>("buf=a:2xs16:const=-7"), ElementsAre(-7, -7));
  EXPECT_THAT(filled<double>("buf=a:2xf64:const=0.5"), ElementsAre(0.5, 0.5));
}

TEST(KernelArgument, RandomFillsRepeatAndDependOnTheSeed) {
  const auto a = filled<float>("buf=a:1000xf32:random=1");
  EXPECT_EQ(a, filled<float>("buf=a:1000xf32:random=1"));
  EXPECT_NE(a, filled<float>("buf=a:1000xf32:random=2"));
  for (const float value : a) {
    EXPECT_GE(value, 0.0f);
    EXPECT_LT(value, 1.0f);
  }
  // SplitMix64 of seed 0 begins with 0xe220a8397b1dcdaf.
  EXPECT_EQ(filled<std::uint64_t>("buf=a:1xu64:random=0").at(0), 0xe220'a839'7b1d'cdafull);
}

TEST(KernelArgument, FilesFillExactly) {
  const std::string path = testing::TempDir() + "cli_argument_fill.bin";
  std::ofstream(path, std::ios::binary) << "abcd";
  EXPECT_THAT(filled<std::uint8_t>("buf=a:4:file=" + path), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(error_of({"buf=a:8:file=" + path}), HasSubstr("has 4 bytes, the buffer has 8"));
  EXPECT_THAT(error_of({"buf=a:8:file=" + path + ".none"}), HasSubstr("No such file"));
}

TEST(KernelArgument, MalformedBuffersSayWhatIsExpected) {
  EXPECT_THAT(error_of({"buf=a"}), HasSubstr("buf=NAME:SIZE[:FILL]"));
  EXPECT_THAT(error_of({"buf=:4"}), HasSubstr("a buffer needs a name"));
  EXPECT_THAT(error_of({"buf=a b:4"}), HasSubstr("a buffer needs a name"));
  EXPECT_THAT(error_of({"buf=a:0"}), HasSubstr("'0' is not a buffer size"));
  EXPECT_THAT(error_of({"buf=a:xf32"}), HasSubstr("'xf32' is not a buffer size"));
  EXPECT_THAT(error_of({"buf=a:4xf31"}),
              AllOf(HasSubstr("'f31' is not an element type"), HasSubstr("f32 f64")));
  EXPECT_THAT(error_of({"buf=a:99999999999999999999"}), HasSubstr("not a buffer size"));
  EXPECT_THAT(error_of({"buf=a:9223372036854775807xf64"}), HasSubstr("too large"));
  EXPECT_THAT(error_of({"buf=a:4:ones"}), HasSubstr("unknown fill 'ones'"));
  EXPECT_THAT(error_of({"buf=a:4xu8:const=300"}), HasSubstr("not a value of type u8"));
  EXPECT_THAT(error_of({"buf=a:4:random=x"}), HasSubstr("'x' is not a seed"));
}

TEST(KernelArgument, UnknownKindsListTheKinds) {
  EXPECT_THAT(error_of({"i32=4"}), AllOf(HasSubstr("unknown kind of argument 'i32'"), HasSubstr("u32")));
  EXPECT_THAT(error_of({"17"}), HasSubstr("TYPE=VALUE"));
  EXPECT_THAT(error_of({""}), HasSubstr("TYPE=VALUE"));
}

TEST(KernelArgument, ReferencesPointIntoEarlierBuffers) {
  const auto arguments = parse_arguments({"buf=a:16", "ref=a+8", "ref=a"});
  EXPECT_EQ(arguments[1].kind, KernelArgument::Kind::kReference);
  EXPECT_EQ(arguments[1].bytes, 8u);
  EXPECT_EQ(arguments[2].bytes, 0u);
  EXPECT_THAT(error_of({"ref=a"}), HasSubstr("no buffer 'a' before"));
  EXPECT_THAT(error_of({"buf=a:16", "ref=a+16"}), HasSubstr("outside the buffer, which has 16 bytes"));
  EXPECT_THAT(error_of({"buf=a:16", "ref=a+x"}), HasSubstr("ref=NAME[+BYTES]"));
  EXPECT_THAT(error_of({"buf=a:16", "buf=a:16"}), HasSubstr("there is a buffer 'a' already"));
}

TEST(KernelArgument, StructsAreLaidOutAsInC) {
  struct Inner {
    std::uint16_t a;
    double b;
  };
  struct Outer {
    std::uint8_t first;
    float second;
    std::uint8_t third;
    std::uint64_t pointer;
    Inner inner;
    std::int16_t last;
  };
  const KernelArgument argument =
      parse_arguments({"struct=u8:1,f32:2.5,u8:3,ptr:x+4,align:8,u16:4,f64:5,align:8,s16:-6"}, {"x:16"})[1];
  EXPECT_EQ(argument.kind, KernelArgument::Kind::kStruct);
  ASSERT_EQ(argument.value.size(), sizeof(Outer));
  Outer outer{};
  std::memcpy(&outer, argument.value.data(), sizeof outer);
  EXPECT_EQ(outer.first, 1);
  EXPECT_EQ(outer.second, 2.5f);
  EXPECT_EQ(outer.third, 3);
  EXPECT_EQ(outer.pointer, 0u) << "to be filled in when the buffer has an address";
  EXPECT_EQ(outer.inner.a, 4);
  EXPECT_EQ(outer.inner.b, 5.0);
  EXPECT_EQ(outer.last, -6);
  ASSERT_EQ(argument.pointers.size(), 1u);
  EXPECT_EQ(argument.pointers[0].offset, offsetof(Outer, pointer));
  EXPECT_EQ(argument.pointers[0].target.buffer, "x");
  EXPECT_EQ(argument.pointers[0].target.bytes, 4u);
  EXPECT_EQ(argument.layout, "u8 at 0, f32 at 4, u8 at 8, ptr at 16, u16 at 24, f64 at 32, s16 at 40");
}

TEST(KernelArgument, BytesOfStructsAreNotAligned) {
  const auto bytes = [](const std::string& text) {
    std::vector<int> values;
    for (const std::byte b : parse_argument(text).value) values.push_back(static_cast<int>(b));
    return values;
  };
  EXPECT_THAT(bytes("struct=u8:1,hex:00ff,pad:2,u8:2"), ElementsAre(1, 0, 255, 0, 0, 2));
  EXPECT_THAT(bytes("struct=hex:0102,u16:3"), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(bytes("struct=u8:1,align:4"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(bytes("struct=u32:1,u8:2"), ElementsAre(1, 0, 0, 0, 2, 0, 0, 0));
  EXPECT_THAT(bytes("hex=FE01"), ElementsAre(254, 1));
}

TEST(KernelArgument, MalformedStructsSayWhatIsExpected) {
  EXPECT_THAT(error_of({"struct="}), AllOf(HasSubstr("'' is not a field"), HasSubstr("align:N")));
  EXPECT_THAT(error_of({"struct=u8"}), HasSubstr("'u8' is not a field"));
  EXPECT_THAT(error_of({"struct=pad:0"}), HasSubstr("a number of bytes from 1 to 32764"));
  EXPECT_THAT(error_of({"struct=align:3"}), HasSubstr("a power of two"));
  EXPECT_THAT(error_of({"struct=pad:32764,u8:1"}), HasSubstr("the struct is too large"));
  EXPECT_THAT(error_of({"struct=ptr:x"}), HasSubstr("there is no buffer 'x' before this argument"));
  EXPECT_THAT(error_of({"struct=ptr:x y"}), HasSubstr("does not name a buffer"));
  EXPECT_THAT(error_of({"struct=hex:0g"}), HasSubstr("not bytes in hexadecimal"));
  EXPECT_THAT(error_of({"hex="}), HasSubstr("not bytes in hexadecimal"));
}

TEST(KernelArgument, ElementsAsText) {
  const auto bytes = fill_bytes(parse_argument("buf=a:1xs8:const=-3"));
  EXPECT_EQ(element_text(isa::Type::kS8, bytes.data()), "-3");
  const auto wide = fill_bytes(parse_argument("buf=a:1xu64:const=0xffffffffffffffff"));
  EXPECT_EQ(element_text(isa::Type::kU64, wide.data()), "18446744073709551615");
  const auto real = fill_bytes(parse_argument("buf=a:1xf32:const=0.1"));
  EXPECT_EQ(element_text(isa::Type::kF32, real.data()), "0.1");
}

TEST(Dimensions, OneToThree) {
  EXPECT_EQ(parse_dimensions("7", "--grid").x, 7u);
  const Dimensions d = parse_dimensions("1,2,3", "--grid");
  EXPECT_EQ(d.y, 2u);
  EXPECT_EQ(d.z, 3u);
}

TEST(Dimensions, ErrorsNameTheOption) {
  for (const char* text : {"", "x", "1,", "1,,2", "1,2,3,4", "-1", "1.5", "1 ,2"}) {
    try {
      (void)parse_dimensions(text, "--grid");
      ADD_FAILURE() << text;
    } catch (const base::InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr("--grid " + std::string(text) + ": expected X, X,Y or X,Y,Z")) << text;
    }
  }
  EXPECT_THROW((void)parse_dimensions("0", "--block"), base::InputError);
  for (const char* text : {"4294967296", "1,99999999999999999999"}) {
    try {
      (void)parse_dimensions(text, "--grid");
      ADD_FAILURE() << text;
    } catch (const base::InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr("is too large for a dimension")) << text;
      EXPECT_THAT(e.what(), HasSubstr("2147483647 x 65535 x 65535")) << text;
    }
  }
}

}  // namespace
}  // namespace heddle::cli::argument_test
