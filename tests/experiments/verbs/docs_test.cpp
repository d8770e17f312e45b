// The commands in the docs of this folder print what the docs show. With RETRYSTORM_REWRITE_DOCS
// set, the docs are rewritten instead. Blocks: ```console with a first line "$ COMMAND", and
// <!-- $ COMMAND --> ... <!-- end --> where Markdown is to be rendered.
#include "tests/case_name.hpp"
#include "tests/places.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

std::string text_in(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// What a shell at the root of the tree prints, with the built program on its path.
std::string output_of(const std::string& command) {
  const std::string program = program_path();
  const std::string line = "cd " + source_path("") + " && PATH=\"" +
                           program.substr(0, program.rfind('/')) + ":$PATH\" && { " + command +
                           "; } 2>&1";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (!pipe) return "popen failed";
  std::string text;
  std::array<char, 4096> block;
  std::size_t size = 0;
  while ((size = std::fread(block.data(), 1, block.size(), pipe)) > 0) {
    text.append(block.data(), size);
  }
  ::pclose(pipe);
  return text;
}

// The text with the output of each block of one kind put in anew; counts the blocks.
std::string refreshed(const std::string& text, std::string_view begin, std::string_view end_of_line,
                      std::string_view end, int& blocks) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t block = text.find(begin, at);
    if (block == std::string::npos) return result + text.substr(at);
    const std::size_t command = block + begin.size();
    const std::size_t output = text.find(end_of_line, command);
    const std::size_t close = text.find(end, output);
    if (output == std::string::npos || close == std::string::npos) return "unclosed block";
    result += text.substr(at, output + end_of_line.size() - at);
    result += output_of(text.substr(command, output - command));
    at = close;
    ++blocks;
  }
}

class Docs : public testing::TestWithParam<const char*> {};

TEST_P(Docs, ShowWhatTheirCommandsPrint) {
  const std::string path = source_path("docs/") + GetParam() + ".md";
  const std::string text = text_in(path);
  int blocks = 0;
  std::string fresh = refreshed(text, "```console\n$ ", "\n", "```\n", blocks);
  fresh = refreshed(fresh, "<!-- $ ", " -->\n", "<!-- end -->\n", blocks);
  EXPECT_GE(blocks, 3);
  if (std::getenv("RETRYSTORM_REWRITE_DOCS")) {
    std::ofstream(path, std::ios::binary) << fresh;
  } else {
    EXPECT_EQ(text, fresh) << "run this test with RETRYSTORM_REWRITE_DOCS=1";
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Docs, testing::Values("calculators", "oncall"),
                         [](const auto& page) { return case_name(page.param); });

}  // namespace
}  // namespace retrystorm
