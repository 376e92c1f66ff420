// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace prengdl {

/// The distance of the grid on which all values lie: a meter's step, or the precision with which
/// they were printed. Steps that are no multiple of a power of ten are found where printing rounded
/// them, too. Nothing for fewer than three values, for equal ones, and for a grid that is finer
/// than a thousandth of their range, which matters to no test.
std::optional<double> value_step(std::span<const double> values);

/// The variance of the mean of logs that rounding to a step leaves however many values there are.
/// `relative_step` is the step over a typical value. Values that scatter over several steps round
/// up and down at random, which their own variance contains: then it is 0. Values that do not
/// scatter are all wrong by the same: then it is relative_step^2 / 12. In between it is the mean
/// square of the bias of rounded normal values, whose true mean may lie anywhere between two steps.
double rounding_variance(std::span<const double> logs, double relative_step);

}  // namespace prengdl
