// SPDX-License-Identifier: MIT
#include "sim/cli/resumed.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/job_texts.hpp"
#include "sim/output/table.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/replay/kept_answers.hpp"
#include "sim/study/sqlite_access.hpp"
#include "sim/study/study_row.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/rank_file.hpp"

namespace finegrain::cli {
namespace {

constexpr const char* resume_flag = "--resume";
constexpr int application_id = 0x46475253;  // "FGRS"
constexpr std::string_view beginning_of_database("SQLite format 3", 16);

std::int64_t digest_of_file(const std::filesystem::path& file) {
  return static_cast<std::int64_t>(checksum(MappedFile(file).bytes()));
}

/// The files and folders that a command reads, by its flags. Of a mesh of TetGen, both files.
std::vector<std::filesystem::path> inputs_of(const CLI::App& command) {
  std::set<std::string> flags = {
      "--trace",       "--platform", "--matrix",  "--noise", "--compute-scale-from",
      "--recorded-on", "--hostfile", "--rankfile"};
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    if (kind->is_file()) flags.insert("--" + kind->flag());
  std::vector<std::filesystem::path> inputs;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::vector<std::string> texts = option->reduced_results();
    if (flags.contains(option->get_name())) inputs.insert(inputs.end(), texts.begin(), texts.end());
    if (option->get_name() == "--job") std::ranges::move(files_of_jobs(texts), std::back_inserter(inputs));
  }
  for (const std::filesystem::path& input : std::vector(inputs))
    for (const auto& [ending, other] : {std::pair(".node", ".ele"), {".ele", ".node"}})
      if (input.extension() == ending)
        inputs.push_back(std::filesystem::path(input).replace_extension(other));
  return inputs;
}

/// Those that exist: each file, and of each folder the files in it.
std::set<std::filesystem::path> files_of(const std::vector<std::filesystem::path>& inputs) {
  std::set<std::filesystem::path> files;
  for (const std::filesystem::path& input : inputs) {
    std::error_code error;
    if (std::filesystem::is_regular_file(input, error)) files.insert(input);
    if (!std::filesystem::is_directory(input, error)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(input, error))
      if (entry.is_regular_file(error)) files.insert(entry.path());
  }
  return files;
}

using Asked = std::vector<std::pair<std::string, std::int64_t>>;

/// What decides a command's answers, with digests: its flags (0), then each file that they name, and
/// finegrain.
Asked asked_by(const CLI::App& command) {
  constexpr std::array decide_nothing = {"--jobs", "--format", "--out", "--write", "--force", resume_flag};
  std::string words = "finegrain " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(decide_nothing, name) != decide_nothing.end()) continue;
    words += ' ' + name;
    for (const std::string& text : option->reduced_results())
      words += ' ' + text;
  }
  Asked asked{{words, 0}};
  for (const std::filesystem::path& file : files_of(inputs_of(command)))
    asked.emplace_back(file.string(), digest_of_file(file));
  asked.emplace_back("finegrain", digest_of_file("/proc/self/exe"));
  return asked;
}

/// @throws InputError if the command reads or writes a file of this name, or it is no file that can keep
/// answers
void check_name(const std::filesystem::path& path, const CLI::App& command) {
  for (const char* flag : {"--out", "--write"}) {
    const CLI::Option* written = command.get_option_no_throw(flag);
    if (written == nullptr || written->count() == 0) continue;
    for (const std::string& other : written->reduced_results())
      if (std::filesystem::path(other).lexically_normal() == path.lexically_normal())
        throw InputError(path.string(), fmt::format("is what {} writes", flag),
                         fmt::format("Give {} another name", resume_flag));
  }
  const auto is_database = [](std::string_view content) {
    return content.empty() || content.starts_with(beginning_of_database);
  };
  check_replaceable(path, {"a command's simulations", {}, is_database}, {inputs_of(command), false});
}

/// An SQLite file. An answer has as its key all that was asked for before it, and all that was answered.
class AnswersInFile : public replay::KeptAnswers {
 public:
  AnswersInFile(std::filesystem::path path, const CLI::App& command)
      : path_(std::move(path)), command_(&command) {}

  std::map<std::size_t, std::string> known_of_next_group(std::size_t simulations) override {
    return study::in_database(path_, [&] {
      if (!file_) open();
      std::vector<output::Cell> before{key_, static_cast<std::int64_t>(simulations)};
      for (const auto& [place, digest] : digests_)
        before.insert(before.end(), {place, digest});
      digests_.clear();
      key_ = study::digest_of(before);
      std::map<std::size_t, std::string> known;
      SQLite::Statement select(*file_, "SELECT place, answer, digest FROM answers WHERE key=?");
      select.bind(1, key_);
      while (select.executeStep()) {
        const std::int64_t place = select.getColumn(0).getInt64();
        std::string answer = select.getColumn(1).getString();
        const std::int64_t digest = study::digest_of({key_, place, answer});
        if (std::cmp_greater_equal(place, simulations) || digest != select.getColumn(2).getInt64())
          continue;  // damaged
        digests_.emplace(place, digest);
        known.emplace(place, std::move(answer));
      }
      return known;
    });
  }

  void keep(std::size_t index, std::string_view answer) override {
    study::in_database(path_, [&] {
      const auto place = static_cast<std::int64_t>(index);
      const std::int64_t digest = study::digest_of({key_, place, std::string(answer)});
      digests_.emplace(place, digest);
      SQLite::Statement insert(*file_, "INSERT OR REPLACE INTO answers VALUES (?,?,?,?)");
      study::bind_cells(insert, {key_, place, {}, digest});
      insert.bind(3, answer.data(), static_cast<int>(answer.size()));
      insert.exec();
    });
  }

 private:
  void open() {
    check_name(path_, *command_);
    const Asked asked = asked_by(*command_);
    auto file = std::make_unique<SQLite::Database>(
        study::opened(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE));
    SQLite::Transaction transaction(*file, SQLite::TransactionBehavior::IMMEDIATE);
    if (!study::structural_damage(*file).empty())
      throw InputError(path_.string(), "is damaged",
                       fmt::format("Delete it, or give {} another name", resume_flag));
    if (file->execAndGet("PRAGMA application_id").getInt() == application_id)
      check_same(*file, asked);
    else if (file->execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0)
      create(*file, asked);
    else
      throw InputError(path_.string(), "is another program's database",
                       fmt::format("Give {} a name that is free", resume_flag));
    transaction.commit();
    key_ = study::digest_of({asked.front().first});
    file_ = std::move(file);
  }

  static void create(SQLite::Database& file, const Asked& asked) {
    file.exec(fmt::format("PRAGMA application_id={}", application_id));
    file.exec("CREATE TABLE files (path TEXT NOT NULL, digest INTEGER NOT NULL) STRICT");
    file.exec(
        "CREATE TABLE answers (key INTEGER NOT NULL, place INTEGER NOT NULL, answer BLOB NOT NULL, "
        "digest INTEGER NOT NULL, PRIMARY KEY (key, place)) STRICT");
    SQLite::Statement insert(file, "INSERT INTO files VALUES (?,?)");
    for (const auto& [text, digest] : asked) {
      study::bind_cells(insert, {text, digest});
      insert.exec();
      insert.reset();
    }
  }

  void check_same(SQLite::Database& file, const Asked& asked) const {
    Asked kept;
    SQLite::Statement select(file, "SELECT path, digest FROM files ORDER BY rowid");
    while (select.executeStep())
      kept.emplace_back(select.getColumn(0).getString(), select.getColumn(1).getInt64());
    if (kept == asked) return;
    const auto changed = std::ranges::find_if(
        kept, [&](const auto& then) { return std::ranges::find(asked, then) == asked.end(); });
    if (changed == kept.begin() && !kept.empty())
      throw InputError(path_.string(),
                       fmt::format("keeps the simulations of another command: {}", changed->first),
                       fmt::format("Give {} another name, or that command", resume_flag));
    throw InputError(path_.string(),
                     changed == kept.end()
                         ? "the command reads more files now than when its simulations were kept"
                         : fmt::format("{} has changed since its simulations were kept", changed->first),
                     fmt::format("Delete it, or give {} another name", resume_flag));
  }

  std::filesystem::path path_;
  const CLI::App* command_;
  std::unique_ptr<SQLite::Database> file_;
  std::int64_t key_ = 0;                          ///< that of the group that is being simulated
  std::map<std::int64_t, std::int64_t> digests_;  ///< those of this group's answers, by their place
};

}  // namespace

CLI::Option* add_resume(CLI::App& command, replay::ReplayOptions& options) {
  return command.add_option_function<std::string>(
      resume_flag,
      [&command, &options](const std::string& path) {
        if (path.empty()) throw InputError(resume_flag, "names no file", "Give it a name");
        options.kept = std::make_shared<AnswersInFile>(path, command);
      },
      "Keep each simulation in this SQLite file when it has ended. If the command is interrupted, give it "
      "again "
      "in the same words: it goes on from there");
}

}  // namespace finegrain::cli
