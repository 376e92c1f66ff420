// SPDX-License-Identifier: Apache-2.0
#include "model/meter_info.h"

#include "base/amounts.h"

namespace prengdl {

std::string_view name_of(Kind kind) { return kind == Kind::counter ? "counter" : "gauge"; }

std::string_view name_of(Quality quality) {
  switch (quality) {
    case Quality::wall:
      return "wall";
    case Quality::sensor:
      return "sensor";
    case Quality::chip:
      return "chip";
    case Quality::virtual_machine:
      return "virtual";
    case Quality::model:
      return "model";
  }
  return "";
}

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::joule:
      return "J";
    case Unit::watt:
      return "W";
    case Unit::celsius:
      return "degC";
    case Unit::byte:
      return "B";
    case Unit::hertz:
      return "Hz";
    case Unit::second:
      return "s";
    case Unit::share:
    case Unit::bits:
      return "";
  }
  return "";
}

std::string_view name_of(Counted counted) {
  switch (counted) {
    case Counted::yes:
      return "yes";
    case Counted::inside:
      return "no: inside another domain";
    case Counted::alone:
      return "only if no part is metered";
    case Counted::platform:
      return "only if no package is metered";
    case Counted::duplicate:
      return "no: the same joules by another road";
    case Counted::not_allocated:
      return "no: not given to this process";
    case Counted::channel:
      return "no: not energy";
  }
  return "";
}

}  // namespace prengdl
