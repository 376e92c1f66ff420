// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "conclude/gate.h"
#include "machine/doctor.h"
#include "model/aa_record.h"
#include "tables/terminal.h"

namespace prengdl {

// The commands that object, and then end with status 3: doctor, audit and gate.

/// `aa`: what doctor --aa found on this machine, now or before.
std::string doctor_json(const std::vector<Check>& checks, const FoundMeters& found,
                        const CpuFacts& cpu, const std::optional<AaRecord>& aa = {});
/// Of a cluster, which has no meters of its own.
std::string doctor_json(const std::vector<Check>& checks);
std::string doctor_text(const std::vector<Check>& checks, const Style& style);

/// What `doctor --aa` found, for people.
std::string aa_text(const AaRecord& record, const Style& style);

/// A note for later comparisons by this measure: "this machine's own spread is 0.8 %, ...". If the
/// record does not have the measure, it is about time.
std::string aa_line(const AaRecord& record, const std::string& measure);

/// The levels that a finding is about: "mask_rcnn tensorflow"; empty for the whole study.
std::string where_text(const AuditFinding& finding);

std::string audit_json(const std::vector<AuditFinding>& findings);

/// Most severe first, each in a line with its numbers, then what to do; what is well last, in a
/// word each.
std::string audit_text(const std::vector<AuditFinding>& findings, const Style& style);

/// Of the audit, for `compare`: every severe finding, then how many cautions there are and where to
/// read them. Nothing if there is no warning.
std::vector<std::string> caution_lines(const std::vector<AuditFinding>& findings,
                                       const std::string& result);

std::string gate_text(const GateResult& result, const Style& style);

/// Only the verdict and its reason.
std::string gate_line(const GateResult& result, const Style& style);

/// For the comment of a pull request: a verdict, a table, how it was tested.
std::string gate_markdown(const GateResult& result);

std::string gate_json(const GateResult& result);  // prengdl.gate/2

}  // namespace prengdl
