/// \file
/// Heat maps for the terminal.
#pragma once

#include <string>

#include "heat_map.hpp"
#include "terminal.hpp"

namespace tensorette::pictures {

/// The heat map as lines of text, each ended by a line feed and none wider than the terminal where
/// that is possible at all. Where the words fit they head their columns and every cell carries its
/// number; else cells are two columns wide and the words stand upright above them; keys that do
/// not fit even so go to further blocks below. Shades are `░▒▓█` or, without Unicode, ` .:-=+*#%@`;
/// with colours the background carries the value.
/// Throws as check_heat_map() does.
[[nodiscard]] std::string heat_map_text(const HeatMap& map, const Terminal& terminal = {});

}  // namespace tensorette::pictures
