// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// What Python's marshal can hold, as far as it matters for a profile.
enum class MarshalKind : std::uint8_t {
  none,
  truth,       // True, False
  integer,     // that fits into 64 bits
  real,        // written as text or as eight bytes
  text,        // str, unicode, bytes
  sequence,    // tuple, list
  dictionary,  // children: key, value, key, value ...
  set,
  other,  // complex, Ellipsis, integers beyond 64 bits: read past, not kept
};

/// One value. Text points into the bytes that were read, children lie in the document. Sixteen
/// bytes: to touch memory for the first time takes as long as to read what goes there.
struct MarshalValue {
  MarshalKind kind : 4 = MarshalKind::none;
  std::uint32_t offset : 28 = 0;  // where it begins, for messages
  std::uint32_t count = 0;        // bytes of the text, or children
  union {
    std::int64_t integer = 0;
    double real;
    std::uint32_t first;  // place of the text's first byte, or of the first child
  };
};

static_assert(sizeof(MarshalValue) == 16);

/// How much a document may hold. An honest one needs about ten bytes a value; these bounds keep a
/// hostile one below half a gigabyte of memory.
struct MarshalLimits {
  std::size_t bytes = std::size_t{64} << 20;  // less than an offset can say
  std::size_t values = std::size_t{8} << 20;
  std::size_t depth = 64;
};

/// A marshalled value and all that is in it. Values that the writer shared by reference are shared
/// here too, so a walk may meet a value more than once: the caller must count.
class MarshalDocument {
 public:
  const MarshalValue& root() const { return values_[root_]; }
  std::size_t size() const { return values_.size(); }
  /// A number below size() that is the same for values that were shared by reference.
  std::size_t number(const MarshalValue& value) const {
    return static_cast<std::size_t>(&value - values_.data());
  }
  std::string_view text(const MarshalValue& value) const {
    return bytes_.substr(value.first, value.count);
  }
  /// The i-th child of a sequence, a set or a dictionary.
  const MarshalValue& child(const MarshalValue& parent, std::size_t i) const {
    return values_[children_[parent.first + i]];
  }

 private:
  friend class MarshalReader;
  std::string_view bytes_;
  std::vector<MarshalValue> values_;
  std::vector<std::uint32_t> children_;
  std::uint32_t root_ = 0;
};

/// Reads the format of CPython's marshal, versions 0 to 5, as Python 2 and 3 write it; it names no
/// version, each value states its type. `bytes` must outlive the document. Errors name the byte.
/// Nothing is executed: code objects are refused.
Result<MarshalDocument> read_marshal(std::string_view bytes, const MarshalLimits& limits = {});

}  // namespace prengdl
