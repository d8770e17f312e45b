#include "core/tally_figures.hpp"

#include <utility>

namespace retrystorm {

const Count& TallyFigure::in(const Tally& tally) const {
  const Count* found = nullptr;
  std::size_t at = 0;
  const auto look = [&]<typename Part>(const TallyPart<Part>& one) {
    if (at++ == part) found = &(tally.*one.member.*FiguresOf<Part>::rows[row].member);
  };
  std::apply([&](const auto&... one) { (look(one), ...); }, tally_parts);
  return *found;
}

Count& TallyFigure::in(Tally& tally) const {
  return const_cast<Count&>(in(std::as_const(tally)));
}

}  // namespace retrystorm
