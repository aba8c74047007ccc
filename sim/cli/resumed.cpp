// SPDX-License-Identifier: MIT
#include "sim/cli/resumed.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/replay/kept_answers.hpp"
#include "sim/study/sqlite_access.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

constexpr const char* resume_flag = "--resume";
constexpr int application_id = 0x46475253;  // "FGRS"
constexpr int patience_ms = 60'000;         // how long to wait for another process that writes the file

std::int64_t digest_of(std::string_view bytes, std::int64_t seed = 0) {
  return static_cast<std::int64_t>(
      XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(seed)));
}

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

std::int64_t digest_of_file(const std::filesystem::path& file) {
  if (std::filesystem::file_size(file) == 0) return digest_of("");
  const MappedFile mapped(file);
  return digest_of({reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()});
}

/// The paths of the files that a text names: it itself, or what is between its spaces, quotes, commas, @ and
/// =. Of a folder, all in it; of a mesh of TetGen, both its files.
void add_files(const std::string& text, std::set<std::filesystem::path>& files) {
  const auto add = [&](const std::filesystem::path& name) {
    std::error_code error;
    if (std::filesystem::is_regular_file(name, error)) files.insert(name);
    if (std::filesystem::is_directory(name, error))
      for (const auto& entry : std::filesystem::recursive_directory_iterator(name, error))
        if (entry.is_regular_file(error)) files.insert(entry.path());
  };
  // A name may have some of these in it.
  for (const char* separators : {"", "@", "@,=", "@,= ", "@\"'"}) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
      const std::filesystem::path name = text.substr(begin, end - begin);
      if (!name.empty()) add(name);
      if (name.extension() == ".node") add(std::filesystem::path(name).replace_extension(".ele"));
      if (name.extension() == ".ele") add(std::filesystem::path(name).replace_extension(".node"));
      begin = end + 1;
    }
  }
}

/// What decides a command's answers: its flags, and the digest of each file that they name and of finegrain.
struct Asked {
  std::string command;
  std::vector<std::pair<std::string, std::int64_t>> files;
};

/// @param kept  the file that keeps the answers, which may be in a folder that is read
Asked asked_by(const CLI::App& command, const std::filesystem::path& kept) {
  constexpr std::array decide_nothing = {"--jobs", "--format", "--out", "--write", "--force", resume_flag};
  Asked asked{"finegrain " + command.get_name(), {}};
  std::set<std::filesystem::path> files;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    if (std::ranges::find(decide_nothing, name) != decide_nothing.end()) continue;
    asked.command += ' ' + name;
    for (const std::string& text : option->reduced_results()) {
      asked.command += ' ' + text;
      if (name != "--timeline") add_files(text, files);  // which is written, not read
    }
  }
  std::error_code error;
  for (const std::filesystem::path& file : files)
    if (!std::filesystem::equivalent(file, kept, error) &&
        file.filename() != kept.filename().string() + "-journal")
      asked.files.emplace_back(file.string(), digest_of_file(file));
  asked.files.emplace_back("finegrain", digest_of_file("/proc/self/exe"));
  return asked;
}

/// An SQLite file. An answer has as its key all that was asked for before it, and all that was answered.
class AnswersInFile : public replay::KeptAnswers {
 public:
  AnswersInFile(std::filesystem::path path, const CLI::App& command)
      : path_(std::move(path)), command_(&command) {}

  std::map<std::size_t, std::string> known_of_next_group(std::size_t simulations) override {
    return study::in_database(path_, [&] {
      if (!file_) open();
      for (const auto& [place, digest] : digests_)
        key_ = digest_of(bytes_of<std::int64_t>(std::array{static_cast<std::int64_t>(place), digest}), key_);
      digests_.clear();
      key_ = digest_of(bytes_of<std::uint64_t>(std::array{std::uint64_t{simulations}}), key_);
      std::map<std::size_t, std::string> known;
      SQLite::Statement select(*file_, "SELECT place, answer, digest FROM answers WHERE key=?");
      select.bind(1, key_);
      while (select.executeStep()) {
        const auto place = static_cast<std::size_t>(select.getColumn(0).getInt64());
        std::string answer = select.getColumn(1).getString();
        const std::int64_t digest = digest_of(answer);
        if (place >= simulations || digest != select.getColumn(2).getInt64()) continue;  // damaged
        digests_.emplace(place, digest);
        known.emplace(place, std::move(answer));
      }
      return known;
    });
  }

  void keep(std::size_t place, std::string_view answer) override {
    study::in_database(path_, [&] {
      const std::int64_t digest = digest_of(answer);
      digests_.emplace(place, digest);
      SQLite::Statement insert(*file_, "INSERT OR REPLACE INTO answers VALUES (?,?,?,?)");
      insert.bind(1, key_);
      insert.bind(2, static_cast<std::int64_t>(place));
      insert.bind(3, answer.data(), static_cast<int>(answer.size()));
      insert.bind(4, digest);
      insert.exec();
    });
  }

 private:
  void open() {
    const Asked asked = asked_by(*command_, path_);
    check_kind();
    auto file = std::make_unique<SQLite::Database>(path_.string(),
                                                   SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, patience_ms);
    sqlite3_db_config(file->getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(file->getHandle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    SQLite::Transaction transaction(*file, SQLite::TransactionBehavior::IMMEDIATE);
    if (file->execAndGet("PRAGMA application_id").getInt() == application_id)
      check_same(*file, asked);
    else if (file->execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0)
      create(*file, asked);
    else
      refuse();
    transaction.commit();
    key_ = digest_of(asked.command);
    file_ = std::move(file);
  }

  [[noreturn]] void refuse() const {
    throw InputError(path_.string(), "is no file that keeps a command's simulations",
                     fmt::format("Give {} a name that is free", resume_flag));
  }

  /// A file that is no database must not be said to be a damaged one.
  void check_kind() const {
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);
    if (error || size == 0) return;
    constexpr std::string_view beginning("SQLite format 3", 16);
    std::string found(beginning.size(), ' ');
    if (!std::ifstream(path_, std::ios::binary).read(found.data(), std::ssize(found)) || found != beginning)
      refuse();
  }

  static void create(SQLite::Database& file, const Asked& asked) {
    file.exec(fmt::format("PRAGMA application_id={}", application_id));
    file.exec("CREATE TABLE asked (command TEXT NOT NULL) STRICT");
    file.exec("CREATE TABLE files (path TEXT NOT NULL PRIMARY KEY, digest INTEGER NOT NULL) STRICT");
    file.exec(
        "CREATE TABLE answers (key INTEGER NOT NULL, place INTEGER NOT NULL, answer BLOB NOT NULL, "
        "digest INTEGER NOT NULL, PRIMARY KEY (key, place)) STRICT");
    SQLite::Statement command(file, "INSERT INTO asked VALUES (?)");
    command.bind(1, asked.command);
    command.exec();
    for (const auto& [path, digest] : asked.files) {
      SQLite::Statement insert(file, "INSERT INTO files VALUES (?,?)");
      insert.bind(1, path);
      insert.bind(2, digest);
      insert.exec();
    }
  }

  void check_same(SQLite::Database& file, const Asked& asked) const {
    const std::string command = file.execAndGet("SELECT command FROM asked").getString();
    if (command != asked.command)
      throw InputError(path_.string(), fmt::format("keeps the simulations of another command: {}", command),
                       fmt::format("Give {} another name, or that command", resume_flag));
    std::vector<std::pair<std::string, std::int64_t>> kept;
    SQLite::Statement select(file, "SELECT path, digest FROM files ORDER BY rowid");
    while (select.executeStep())
      kept.emplace_back(select.getColumn(0).getString(), select.getColumn(1).getInt64());
    if (kept == asked.files) return;
    const auto [old, now] = std::ranges::mismatch(kept, asked.files);
    throw InputError(path_.string(),
                     fmt::format("{} has changed since its simulations were kept",
                                 now != asked.files.end() ? now->first : old->first),
                     fmt::format("Delete it, or give {} another name", resume_flag));
  }

  std::filesystem::path path_;
  const CLI::App* command_;
  std::unique_ptr<SQLite::Database> file_;
  std::int64_t key_ = 0;                         ///< of the group that is being simulated
  std::map<std::size_t, std::int64_t> digests_;  ///< of the answers of this group, by their place
};

}  // namespace

CLI::Option* add_resume(CLI::App& command, replay::ReplayOptions& options) {
  return command.add_option_function<std::string>(
      resume_flag,
      [&command, &options](const std::string& path) {
        options.kept = std::make_shared<AnswersInFile>(path, command);
      },
      "Keep each simulation in this SQLite file when it has ended. If the command is interrupted, give it "
      "again "
      "in the same words: it goes on from there");
}

}  // namespace finegrain::cli
