// SPDX-License-Identifier: Apache-2.0
//
// The format, as Python/marshal.c writes it: a type byte, then what the type needs, numbers little
// endian. The type byte's highest bit says that the value gets the next number in a table, by which
// later values refer to it (version 3 and newer). Python 2 has such a table for interned strings.
#include "profile/marshal.h"

#include <fmt/core.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "base/escaping.h"
#include "base/parse.h"

namespace prengdl {

class MarshalReader {
 public:
  MarshalReader(std::string_view bytes, const MarshalLimits& limits)
      : bytes_(bytes), limits_(limits) {}

  Result<MarshalDocument> read() {
    document_.bytes_ = bytes_;
    if (bytes_.size() > limits_.bytes) {
      fail(limits_.bytes, fmt::format("it has more than {} MiB", limits_.bytes >> 20));
    } else {
      document_.values_.reserve(bytes_.size() / 8);
      document_.children_.reserve(bytes_.size() / 8);
      document_.root_ = value(0);
      if (!error_ && at_ != bytes_.size())
        fail(at_, fmt::format("{} bytes follow the value", bytes_.size() - at_));
    }
    if (error_) return tl::unexpected(*error_);
    return std::move(document_);
  }

 private:
  static constexpr std::uint32_t unfinished = std::numeric_limits<std::uint32_t>::max();
  static constexpr unsigned numbered = 0x80;

  /// The first failure counts; after it there is nothing left to read, so every loop ends.
  std::uint32_t fail(std::size_t offset, const std::string& what) {
    if (!error_)
      error_ = Error(fmt::format("byte {}: {}", offset, what),
                     "it is cut or damaged, or no dump of cProfile: write it again with "
                     "python3 -m cProfile -o FILE.prof");
    at_ = bytes_.size();
    return 0;
  }

  std::size_t left() const { return bytes_.size() - at_; }

  /// The next `count` bytes; empty after a failure.
  std::string_view take(std::size_t count) {
    if (error_ || count > left()) {
      fail(at_, fmt::format("{} bytes are needed, {} are left", count, left()));
      return {};
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  template <class Number>
  Number number() {
    // The machines that prengdl runs on are little-endian, as the format is.
    static_assert(std::endian::native == std::endian::little);
    Number result{};
    if (sizeof(Number) <= left()) {
      std::memcpy(&result, bytes_.data() + at_, sizeof result);
      at_ += sizeof result;
    } else {
      take(sizeof(Number));
    }
    return result;
  }

  /// A length, checked against what is left: every item takes at least `item_size` bytes.
  std::size_t length(std::size_t item_size, bool is_short = false) {
    const auto where = at_;
    const std::int64_t count = is_short ? number<std::uint8_t>() : number<std::int32_t>();
    if (error_) return 0;
    if (count < 0 || static_cast<std::uint64_t>(count) > left() / item_size) {
      fail(where, fmt::format("a length of {} where {} bytes are left", count, left()));
      return 0;
    }
    return static_cast<std::size_t>(count);
  }

  std::uint32_t add(const MarshalValue& value) {
    if (document_.values_.size() >= limits_.values)
      return fail(value.offset, fmt::format("it holds more than {} values", limits_.values));
    document_.values_.push_back(value);
    return static_cast<std::uint32_t>(document_.values_.size() - 1);
  }

  static MarshalValue value_at(std::size_t offset, MarshalKind kind) {
    MarshalValue made;
    made.kind = kind;
    made.offset = offset & 0xFFFFFFFU;
    return made;
  }
  std::uint32_t plain(MarshalKind kind, std::size_t offset) { return add(value_at(offset, kind)); }
  std::uint32_t integer(std::int64_t value, std::size_t offset,
                        MarshalKind kind = MarshalKind::integer) {
    MarshalValue made = value_at(offset, kind);
    made.integer = value;
    return add(made);
  }
  std::uint32_t real(double value, std::size_t offset) {
    MarshalValue made = value_at(offset, MarshalKind::real);
    made.real = value;
    return add(made);
  }

  std::uint32_t text(std::size_t offset, bool is_short) {
    MarshalValue made = value_at(offset, MarshalKind::text);
    made.count = static_cast<std::uint32_t>(length(1, is_short));
    made.first = static_cast<std::uint32_t>(at_);
    at_ += made.count;
    return add(made);
  }

  /// Digits of 15 bits, the lowest first; the sign is that of their count.
  std::uint32_t long_integer(std::size_t offset) {
    const auto signed_count = number<std::int32_t>();
    const auto count = static_cast<std::size_t>(std::abs(std::int64_t{signed_count}));
    const auto digits = count <= left() / 2 ? take(count * 2) : take(left() + 1);
    if (error_) return 0;
    std::uint64_t magnitude = 0;
    bool fits = true;
    for (std::size_t i = count; i-- > 0;) {
      std::uint16_t digit{};
      std::memcpy(&digit, digits.data() + 2 * i, sizeof digit);
      if (digit >= 1U << 15) return fail(offset, "a digit of an integer is too large");
      fits = fits && magnitude >> 48 == 0;  // 48 + 15 bits: room for the sign
      magnitude = magnitude << 15 | digit;
    }
    if (!fits) return plain(MarshalKind::other, offset);
    const auto value = static_cast<std::int64_t>(magnitude);
    return integer(signed_count < 0 ? -value : value, offset);
  }

  std::optional<double> real_in_text(std::size_t offset) {
    const auto digits = take(length(1, true));
    if (error_) return std::nullopt;
    const auto value = parse_number(digits);
    if (!value) fail(offset, fmt::format("'{}' is not a number", printable(digits)));
    return value;
  }

  std::uint32_t container(MarshalKind kind, std::size_t offset, std::size_t count,
                          std::size_t depth) {
    const auto before = open_.size();
    for (std::size_t i = 0; i < count && !error_; ++i) open_.push_back(value(depth + 1));
    return close(kind, offset, before);
  }

  std::uint32_t dictionary(std::size_t offset, std::size_t depth) {
    const auto before = open_.size();
    while (!error_) {
      if (left() > 0 && bytes_[at_] == '0') {
        ++at_;
        break;
      }
      open_.push_back(value(depth + 1));
      open_.push_back(value(depth + 1));
    }
    return close(MarshalKind::dictionary, offset, before);
  }

  /// The values since `before` become the children of one container.
  std::uint32_t close(MarshalKind kind, std::size_t offset, std::size_t before) {
    if (error_) return 0;
    MarshalValue made = value_at(offset, kind);
    made.count = static_cast<std::uint32_t>(open_.size() - before);
    made.first = static_cast<std::uint32_t>(document_.children_.size());
    if (document_.children_.size() + made.count > limits_.values)
      return fail(offset, fmt::format("it holds more than {} values", limits_.values));
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(before);
    document_.children_.insert(document_.children_.end(), begin, open_.end());
    open_.resize(before);
    return add(made);
  }

  std::uint32_t referred(const std::vector<std::uint32_t>& table, std::size_t offset) {
    const auto index = number<std::int32_t>();
    if (error_) return 0;
    if (index < 0 || static_cast<std::size_t>(index) >= table.size())
      return fail(offset, fmt::format("it refers to value {} of {}", index, table.size()));
    const auto found = table[static_cast<std::size_t>(index)];
    if (found == unfinished) return fail(offset, "a value refers to itself");
    return found;
  }

  std::uint32_t value(std::size_t depth) {
    const auto offset = at_;
    if (depth > limits_.depth)
      return fail(offset, fmt::format("values are nested more than {} deep", limits_.depth));
    const auto byte = number<std::uint8_t>();
    if (error_) return 0;
    const char type = static_cast<char>(byte & ~numbered);
    if (never_numbered(type)) return without_number(type, offset);
    const auto own_number = references_.size();
    const bool has_number = (byte & numbered) != 0;
    if (has_number) references_.push_back(unfinished);
    const auto made = of_type(type, offset, depth);
    if (error_) return 0;
    if (has_number) references_[own_number] = made;
    if (type == 't') interned_.push_back(made);
    return made;
  }

  /// These never get a number, whatever the bit says: so does CPython.
  static bool never_numbered(char type) {
    switch (type) {
      case 'N':
      case 'T':
      case 'F':
      case 'S':
      case '.':
      case 'r':
      case 'R':
      case '0':
        return true;
      default:
        return false;
    }
  }

  std::uint32_t without_number(char type, std::size_t offset) {
    switch (type) {
      case 'N':
        return plain(MarshalKind::none, offset);
      case 'T':
      case 'F':
        return integer(type == 'T' ? 1 : 0, offset, MarshalKind::truth);
      case 'r':
        return referred(references_, offset);
      case 'R':
        return referred(interned_, offset);
      case '0':
        return fail(offset, "a value is missing");
      default:  // StopIteration, Ellipsis
        return plain(MarshalKind::other, offset);
    }
  }

  std::uint32_t of_type(char type, std::size_t offset, std::size_t depth) {
    switch (type) {
      case 'i':
        return integer(number<std::int32_t>(), offset);
      case 'I':
        return integer(number<std::int64_t>(), offset);
      case 'l':
        return long_integer(offset);
      case 'f': {
        const auto value = real_in_text(offset);
        return value ? real(*value, offset) : 0;
      }
      case 'g':
        return real(number<double>(), offset);
      case 'x':
        real_in_text(offset);
        real_in_text(offset);
        return plain(MarshalKind::other, offset);
      case 'y':
        take(2 * sizeof(double));
        return plain(MarshalKind::other, offset);
      case 's':  // bytes, and str of Python 2
      case 't':  // interned
      case 'u':
      case 'a':  // ASCII, and interned ASCII
      case 'A':
        return text(offset, false);
      case 'z':  // short ASCII
      case 'Z':
        return text(offset, true);
      case '(':
      case '[':
        return container(MarshalKind::sequence, offset, length(1), depth);
      case ')':
        return container(MarshalKind::sequence, offset, length(1, true), depth);
      case ':':  // a slice: start, stop, step
        return container(MarshalKind::sequence, offset, 3, depth);
      case '<':
      case '>':
        return container(MarshalKind::set, offset, length(1), depth);
      case '{':
        return dictionary(offset, depth);
      case 'c':
        return fail(offset, "it holds code, as a .pyc file does, and a profile does not");
      default:
        return fail(offset, fmt::format("there is no type '{}' in marshal",
                                        printable(std::string_view(&type, 1))));
    }
  }

  std::string_view bytes_;
  MarshalLimits limits_;
  std::size_t at_ = 0;
  MarshalDocument document_;
  std::vector<std::uint32_t> references_;  // by number, values of version 3 and newer
  std::vector<std::uint32_t> interned_;    // by number, strings of Python 2
  std::vector<std::uint32_t> open_;        // children of containers that are being read
  std::optional<Error> error_;
};

Result<MarshalDocument> read_marshal(std::string_view bytes, const MarshalLimits& limits) {
  return MarshalReader(bytes, limits).read();
}

}  // namespace prengdl
