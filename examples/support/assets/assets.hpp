/// \file
/// The style sheets and the script that every page carries, as text.
#pragma once

#include <string_view>

namespace tensorette::pictures::assets {

extern const std::string_view picture_css;  ///< colours and strokes; part of stand-alone SVG too
extern const std::string_view page_css;     ///< layout and typography of the page
extern const std::string_view page_js;      ///< hover texts, tabs, choice of head and word

}  // namespace tensorette::pictures::assets
