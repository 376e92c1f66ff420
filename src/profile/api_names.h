// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "profile/call_profile.h"

namespace prengdl {

/// The dotted name of a function that belongs to a library, to Python or to C: of
/// `<method 'item' of 'torch._C._TensorBase' objects>` it is torch._C._TensorBase.item, of `step`
/// in .../site-packages/torch/optim/adam.py torch.optim.adam.step. cProfile does not tell the class
/// of a Python method. Nothing for code of the user's own.
std::optional<std::string> library_name(const ProfiledFunction& function);

/// A name for the user's own functions: "forward (seq2seq/train/smoothing.py)". Without the line,
/// so that two versions of a program have the same one.
std::string own_name(const ProfiledFunction& function);

}  // namespace prengdl
