// SPDX-License-Identifier: Apache-2.0
#include "model/reading.h"

namespace prengdl {

std::string_view name_of(ReadStatus status) {
  switch (status) {
    case ReadStatus::ok:
      return "ok";
    case ReadStatus::failed:
      return "read failed";
    case ReadStatus::gone:
      return "vanished";
    case ReadStatus::denied:
      return "permission denied";
    case ReadStatus::not_a_number:
      return "not a number";
    case ReadStatus::no_answer:
      return "no answer";
    case ReadStatus::stuck:
      return "it is not updated any more";
  }
  return "";
}

}  // namespace prengdl
