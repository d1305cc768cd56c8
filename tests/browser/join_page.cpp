// join_page PAGE FIRST LAST RESULT: puts one script before everything else in a page and another
// behind everything else.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("can't read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 5) throw std::runtime_error("join_page PAGE FIRST LAST RESULT");
  std::string page = read(arguments[1]);
  const std::size_t end = page.rfind("</body>");
  const std::size_t begin = page.find("<head>");
  if (begin == std::string::npos || end == std::string::npos) throw std::runtime_error("no page");
  page.insert(end, "<script>\n" + read(arguments[3]) + "</script>\n");
  page.insert(begin + 6, "<script>\n" + read(arguments[2]) + "</script>\n");
  std::ofstream(arguments[4], std::ios::binary) << page;
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
