// The files of autograd/trace/page/, compiled in.
#pragma once

#include <string_view>

namespace tensorette::detail {

extern const std::string_view trace_page_body;
extern const std::string_view trace_page_style;
extern const std::string_view trace_page_script;

}  // namespace tensorette::detail
