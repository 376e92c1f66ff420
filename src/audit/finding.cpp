// SPDX-License-Identifier: Apache-2.0
#include "audit/finding.h"

namespace prengdl {

std::string_view name_of(AuditSeverity severity) {
  switch (severity) {
    case AuditSeverity::ok:
      return "ok";
    case AuditSeverity::note:
      return "note";
    case AuditSeverity::warning:
      return "warning";
    case AuditSeverity::severe:
      return "severe";
  }
  return "";
}

}  // namespace prengdl
