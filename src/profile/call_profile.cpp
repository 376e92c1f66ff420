// SPDX-License-Identifier: Apache-2.0
//
// A dump is one marshalled dictionary, as cProfile.py makes it:
//   {(file, line, function): (primitive calls, calls, own, cumulative,
//                             {(file, line, function): (calls, primitive calls, own, cumulative)})}
#include "profile/call_profile.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/amounts.h"
#include "base/files.h"
#include "profile/marshal.h"

namespace prengdl {
namespace {

constexpr std::size_t longest_name = 4096;                 // bytes
constexpr std::size_t all_names = std::size_t{256} << 20;  // bytes, each function's counted
// So that sums stay numbers: far above what any program does, far below what a double holds.
constexpr std::int64_t most_calls = std::int64_t{1} << 53;
constexpr double most_seconds = 1e12;
constexpr const char* not_a_profile =
    "this is not a dump of cProfile: write one with python3 -m cProfile -o FILE.prof";

/// A function by the numbers of its names, which are cheaper to compare than names.
struct Key {
  std::uint32_t file = 0;
  std::uint32_t name = 0;
  std::int64_t line = 0;
  bool operator==(const Key&) const = default;
};

/// The places of keys, in the order in which they came. Half of the time that std::unordered_map
/// takes, which follows a pointer for each of them.
class KeyPlaces {
 public:
  explicit KeyPlaces(std::size_t expected) {
    keys_.reserve(expected);
    slots_.resize(std::bit_ceil(2 * expected + 16), free);
  }

  /// Its place, and whether it is new.
  std::pair<std::uint32_t, bool> put(const Key& key) {
    if (2 * keys_.size() >= slots_.size()) grow();
    auto& slot = slots_[slot_of(key)];
    if (slot != free) return {slot, false};
    slot = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    return {slot, true};
  }

 private:
  static constexpr std::uint32_t free = std::numeric_limits<std::uint32_t>::max();

  /// Where the key is, or where it would go.
  std::size_t slot_of(const Key& key) const {
    std::uint64_t mixed = (std::uint64_t{key.file} << 32 | key.name) * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ mixed >> 29 ^ static_cast<std::uint64_t>(key.line)) * 0xBF58476D1CE4E5B9U;
    std::size_t slot = (mixed ^ mixed >> 32) & (slots_.size() - 1);
    while (slots_[slot] != free && keys_[slots_[slot]] != key)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), free);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) slots_[slot_of(keys_[i])] = i;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;  // twice as many as keys, or more
};

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const MarshalDocument& document, std::size_t most_edges)
      : document_(document),
        most_edges_(most_edges),
        places_(document.root().kind == MarshalKind::dictionary ? document.root().count / 2 : 0),
        text_numbers_(document.size(), unknown) {}

  Result<CallProfile> build() {
    const auto& root = document_.root();
    if (root.kind != MarshalKind::dictionary) {
      fail(root, "a dictionary was expected");
    } else {
      profile_.functions.reserve(root.count / 2);
      numbers_.reserve(root.count / 2);
      profile_.edges.reserve(root.count);
      // Functions first: callers may come later in the dump than what they call.
      for (std::size_t i = 0; i + 1 < root.count && !error_; i += 2)
        function(document_.child(root, i), document_.child(root, i + 1));
      for (std::size_t i = 1; i < root.count && !error_; i += 2)
        callers(document_.child(root, i), static_cast<std::uint32_t>(i / 2));
    }
    if (error_) return tl::unexpected(*error_);
    return std::move(profile_);
  }

 private:
  static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

  void fail(const MarshalValue& where, const std::string& what) {
    if (!error_) error_ = Error(fmt::format("byte {}: {}", where.offset, what), not_a_profile);
  }

  const MarshalValue& item(const MarshalValue& sequence, std::size_t i) const {
    return document_.child(sequence, i);
  }

  bool is_sequence(const MarshalValue& value, std::size_t count) {
    if (value.kind == MarshalKind::sequence && value.count == count) return true;
    fail(value, fmt::format("a tuple of {} was expected", count));
    return false;
  }

  std::uint64_t count_of(const MarshalValue& value) {
    if (value.kind == MarshalKind::integer && value.integer >= 0 && value.integer <= most_calls)
      return static_cast<std::uint64_t>(value.integer);
    fail(value, "a number of calls was expected");
    return 0;
  }

  Seconds seconds_of(const MarshalValue& value) {
    const bool is_integer = value.kind == MarshalKind::integer;
    if (is_integer || value.kind == MarshalKind::real) {
      const double seconds = is_integer ? static_cast<double>(value.integer) : value.real;
      if (std::abs(seconds) <= most_seconds) return Seconds{seconds};  // false for NaN
    }
    fail(value, "seconds were expected");
    return {};
  }

  /// The number of a name. Most names are shared by reference and looked up once.
  std::uint32_t number_of(const MarshalValue& value) {
    auto& number = text_numbers_[document_.number(value)];
    if (number != unknown) return number;
    if (value.kind != MarshalKind::text) {
      fail(value, "a name was expected");
      return 0;
    }
    if (value.count > longest_name)
      fail(value, fmt::format("a name has more than {} bytes", longest_name));
    const auto text = document_.text(value);
    const auto next = static_cast<std::uint32_t>(texts_.size());
    const auto [known, is_new] = numbers_.try_emplace(text, next);
    if (is_new) texts_.push_back(text);
    return number = known->second;
  }

  std::optional<Key> key_of(const MarshalValue& value) {
    if (!is_sequence(value, 3)) return std::nullopt;
    const auto& line = item(value, 1);
    if (line.kind != MarshalKind::integer) fail(line, "the number of a line was expected");
    const Key key{number_of(item(value, 0)), number_of(item(value, 2)), line.integer};
    return error_ ? std::nullopt : std::optional(key);
  }

  /// A new function; its place is that of its key.
  ProfiledFunction& add(const Key& key, const MarshalValue& where) {
    ProfiledFunction made;
    made.file = texts_[key.file];
    made.line = key.line;
    made.name = texts_[key.name];
    names_ += made.file.size() + made.name.size();
    if (names_ > all_names) fail(where, fmt::format("names of more than {} MiB", all_names >> 20));
    return profile_.functions.emplace_back(made);
  }

  void function(const MarshalValue& name, const MarshalValue& counted) {
    const auto key = key_of(name);
    if (!key || !is_sequence(counted, 5)) return;
    if (!places_.put(*key).second)
      return fail(name, fmt::format("'{}' appears twice", texts_[key->name]));
    auto& made = add(*key, name);
    made.primitive_calls = count_of(item(counted, 0));
    made.calls = count_of(item(counted, 1));
    made.own = seconds_of(item(counted, 2));
    made.cumulative = seconds_of(item(counted, 3));
  }

  void callers(const MarshalValue& counted, std::uint32_t callee) {
    const auto& callers = item(counted, 4);
    if (callers.kind != MarshalKind::dictionary)
      return fail(callers, "a dictionary of callers was expected");
    for (std::size_t i = 0; i + 1 < callers.count && !error_; i += 2) {
      const auto& name = item(callers, i);
      const auto key = key_of(name);
      if (!key) return;
      if (profile_.edges.size() >= most_edges_)
        return fail(name, "it has more callers than there is room for in it");
      const auto [place, is_new] = places_.put(*key);
      if (is_new) {
        // A dump that was cut down keeps callers that it does not list.
        add(*key, name).is_listed = false;
      }
      edge(item(callers, i + 1), place, callee);
    }
  }

  void edge(const MarshalValue& counted, std::uint32_t caller, std::uint32_t callee) {
    CallEdge made;
    made.caller = caller;
    made.callee = callee;
    if (counted.kind == MarshalKind::integer) {
      made.calls = made.primitive_calls = count_of(counted);
    } else if (is_sequence(counted, 4)) {
      // cProfile writes calls first here and primitive calls first above; others write as above.
      const auto first = count_of(item(counted, 0));
      const auto second = count_of(item(counted, 1));
      made.calls = std::max(first, second);
      made.primitive_calls = std::min(first, second);
      made.own = seconds_of(item(counted, 2));
      made.cumulative = seconds_of(item(counted, 3));
    }
    if (!error_) profile_.edges.push_back(made);
  }

  const MarshalDocument& document_;
  std::size_t most_edges_;
  CallProfile profile_;
  KeyPlaces places_;                                             // of functions
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // of names
  std::vector<std::string_view> texts_;                          // names by number
  std::vector<std::uint32_t> text_numbers_;                      // by number of the value
  std::size_t names_ = 0;
  std::optional<Error> error_;
};

/// All bytes of a file; one more than `most` says that there are too many.
Result<std::string> read_dump(const std::filesystem::path& path, std::size_t most) {
  auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  struct stat status {};
  const bool has_size = ::fstat(file->get(), &status) == 0;
  const std::size_t room = has_size ? static_cast<std::size_t>(status.st_size) + 1 : 1 << 16;
  std::string bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(std::min(std::max(room, 2 * filled), most + 1));
    const ssize_t got = ::read(file->get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read " + path.string() + ": " + error_text(errno));
    filled += static_cast<std::size_t>(got);
    if (got == 0 || filled > most) break;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

Result<CallProfile> parse_profile(std::string bytes) {
  auto kept = std::make_shared<const std::string>(std::move(bytes));
  if (kept->empty()) return failure("it is empty", not_a_profile);
  const auto document = read_marshal(*kept);
  if (!document) return tl::unexpected(document.error());
  // An edge takes at least ten bytes; only values that are shared by reference could give more.
  auto profile = ProfileBuilder(*document, kept->size() / 10 + 1).build();
  if (profile) profile->bytes = std::move(kept);
  return profile;
}

Result<CallProfile> read_profile(const std::filesystem::path& path) {
  auto bytes = read_dump(path, MarshalLimits{}.bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  auto profile = parse_profile(std::move(*bytes));
  if (!profile)
    return failure(fmt::format("{}: {}", path.string(), profile.error().what()),
                   profile.error().hint);
  return profile;
}

}  // namespace prengdl
