#include "npy/header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>

#include <penstock/error.hpp>

namespace penstock::npy {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A version 1.0 header around `dictionary`.
std::string header_of(const std::string& dictionary) {
  std::string header = "\x93NUMPY";
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

Header parse(const std::string& bytes) { return parse_header(std::as_bytes(std::span(bytes)), "x.npy"); }

std::string refusal(const std::string& bytes) {
  try {
    static_cast<void>(parse(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "accepted";
}

TEST(NpyHeader, ReadsKeysInAnyOrderAndEitherQuote) {
  const Header header = parse(header_of(R"({"shape":(3,4) , 'fortran_order' : True,"descr": "<i8"})"));

  EXPECT_EQ(header.type, (ArrayType{DType::i64, {3, 4}}));
  EXPECT_TRUE(header.fortran_order);
}

TEST(NpyHeader, ReadsExtentsAsPython2WroteThem) {
  const Header header = parse(header_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4L), }\n"));

  EXPECT_EQ(header.type.shape, (Shape{3, 4}));
}

TEST(NpyHeader, WrittenHeaderIsReadBackAndAligned) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{3, 4}, Shape{1, 2, 3, 4, 5, 6, 7, 8}}) {
    for (int number = 0; number < dtype_count; ++number) {
      const ArrayType type{static_cast<DType>(number), shape};

      const std::string bytes = make_header(type);
      const Header header = parse(bytes);

      EXPECT_EQ(header.type, type);
      EXPECT_FALSE(header.fortran_order);
      EXPECT_EQ(header.data_offset, bytes.size());
      EXPECT_EQ(bytes.size() % 64, 0U);
    }
  }
}

TEST(NpyHeader, EveryTruncationIsRefused) {
  const std::string whole = make_header({DType::f32, {3, 4}});

  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(refusal(whole.substr(0, length)), StartsWith("x.npy: ")) << length;
  }
}

TEST(NpyHeader, RefusesLongHeader) {
  std::string header = "\x93NUMPY";
  header += {'\x02', '\x00', '\x00', '\x00', '\x10', '\x7f'};

  EXPECT_THAT(refusal(header), HasSubstr("at most 1 MiB"));
}

TEST(NpyHeader, RefusesUnknownVersion) {
  std::string header = make_header({DType::f32, {3}});
  header[6] = '\x04';

  EXPECT_THAT(refusal(header), HasSubstr("version 4.0"));
}

struct BadDictionary {
  std::string text;
  std::string phrase;
};

void PrintTo(const BadDictionary& bad, std::ostream* out) { *out << bad.text; }

class NpyDictionary : public testing::TestWithParam<BadDictionary> {};

TEST_P(NpyDictionary, IsRefusedInOneLine) {
  const std::string message = refusal(header_of(GetParam().text));

  EXPECT_THAT(message, StartsWith("x.npy: "));
  EXPECT_THAT(message, HasSubstr(GetParam().phrase));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, NpyDictionary,
    testing::Values(
        BadDictionary{"", "its end where '{'"}, BadDictionary{"[1]", "'[' where '{'"},
        BadDictionary{"{}", "lacks one of"}, BadDictionary{"{'descr': '<f4', 'shape': (3,)}", "lacks one of"},
        BadDictionary{"{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}", "(big-endian)"},
        BadDictionary{"{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "(bool)"},
        BadDictionary{"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "(objects)"},
        BadDictionary{"{'descr': '<f\n4', 'fortran_order': False, 'shape': (3,)}", "'<f?4'"},
        BadDictionary{"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,)}", "structures"},
        BadDictionary{"{'descr': 4, 'fortran_order': False, 'shape': (3,)}", "not a string"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", "neither True nor False"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "where '(' is expected"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", "not a tuple"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "negative"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (3.5,)}", "not a tuple"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}", "no integer of 64 bits"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "no integer"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "overflows"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807)}", "overflows"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8"},
        BadDictionary{"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "twice"},
        BadDictionary{"{'descr': '<f4', 'order': False, 'shape': (3,)}", "unknown key 'order'"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", "goes on"},
        BadDictionary{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", "its end where '}'"},
        BadDictionary{"{'descr': '<f4", "not a string in quotes"}),
    [](const auto& row) { return "row" + std::to_string(row.index); });

}  // namespace
}  // namespace penstock::npy
