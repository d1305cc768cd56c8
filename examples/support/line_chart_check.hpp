// What every picture of a line chart refuses.
#pragma once

#include "line_chart.hpp"

namespace tensorette::pictures::detail {

/// Throws as line_chart_svg() says of the chart itself.
void check_line_chart(const LineChart& chart);

}  // namespace tensorette::pictures::detail
