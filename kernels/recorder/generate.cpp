// SPDX-License-Identifier: MIT
// Writes, at build time, an entry point for every function that the installed mpi.h declares:
//
//   generate_recorder preprocessed-mpi.h functions.hpp entry_points.cpp hand_written.cpp...
//
// A function whose semantics one of the hand-written files defines, as `int recorded::MPI_Send(...)` or by a
// macro RECORD_...(MPI_Send, ...) or RECORD_...(MPI_Bcast, MPI_Ibcast, ...) at the beginning of a line, is
// passed to it. MPI_Send_c is passed to it as well, if its count fits an int, and MPIX_Bcast_init, which is
// Open MPI's extension, as MPI_Bcast_init. Others are passed through: those that neither communicate nor take
// time are counted, and the rest are recorded as time.
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Function {
  std::string result;      ///< "int"
  std::string name;        ///< "MPI_Send"
  std::string parameters;  ///< "const void *buf, int count"
  std::string arguments;   ///< "buf, count"
};

/// Functions with these prefixes only query or change what the library knows.
constexpr std::array local_prefixes = {"MPI_Add_error_",
                                       "MPI_Address",
                                       "MPI_Aint_",
                                       "MPI_Attr_",
                                       "MPI_Buffer_",
                                       "MPI_Cart_coords",
                                       "MPI_Cart_get",
                                       "MPI_Cart_map",
                                       "MPI_Cart_rank",
                                       "MPI_Cart_shift",
                                       "MPI_Cartdim_get",
                                       "MPI_Comm_c2f",
                                       "MPI_Comm_call_",
                                       "MPI_Comm_compare",
                                       "MPI_Comm_create_errhandler",
                                       "MPI_Comm_create_keyval",
                                       "MPI_Comm_delete_attr",
                                       "MPI_Comm_f2c",
                                       "MPI_Comm_free_keyval",
                                       "MPI_Comm_get_",
                                       "MPI_Comm_group",
                                       "MPI_Comm_rank",
                                       "MPI_Comm_remote_",
                                       "MPI_Comm_set_",
                                       "MPI_Comm_size",
                                       "MPI_Comm_test_inter",
                                       "MPI_Dims_create",
                                       "MPI_Dist_graph_neig",
                                       "MPI_Errhandler_",
                                       "MPI_Error_",
                                       "MPI_File_c2f",
                                       "MPI_File_call_",
                                       "MPI_File_create_errhandler",
                                       "MPI_File_f2c",
                                       "MPI_File_get_",
                                       "MPI_File_set_errhandler",
                                       "MPI_Finalized",
                                       "MPI_Get_",
                                       "MPI_Graph_get",
                                       "MPI_Graph_map",
                                       "MPI_Graph_neighbors",
                                       "MPI_Graphdims_get",
                                       "MPI_Grequest_",
                                       "MPI_Group_",
                                       "MPI_Info_",
                                       "MPI_Initialized",
                                       "MPI_Is_thread_main",
                                       "MPI_Keyval_",
                                       "MPI_Message_",
                                       "MPI_Op_",
                                       "MPI_Pack",
                                       "MPI_Query_thread",
                                       "MPI_Reduce_local",
                                       "MPI_Register_datarep",
                                       "MPI_Request_c2f",
                                       "MPI_Request_f2c",
                                       "MPI_Session_call_",
                                       "MPI_Session_create_",
                                       "MPI_Session_get_",
                                       "MPI_Session_set_",
                                       "MPI_Status_",
                                       "MPI_T_",
                                       "MPI_Test_cancelled",
                                       "MPI_Topo_test",
                                       "MPI_Type_",
                                       "MPI_Unpack",
                                       "MPI_Win_c2f",
                                       "MPI_Win_call_",
                                       "MPI_Win_create_err",
                                       "MPI_Win_create_keyval",
                                       "MPI_Win_delete_attr",
                                       "MPI_Win_f2c",
                                       "MPI_Win_free_keyval",
                                       "MPI_Win_get_",
                                       "MPI_Win_set_",
                                       "MPI_Win_shared_query",
                                       "MPI_Wtick",
                                       "MPI_Wtime"};
/// Functions with the same prefixes that do communicate.
constexpr std::array not_local = {"MPI_Get_accumulate"};

/// The persistent collectives of Open MPI's extensions are known.
bool is_extension(const std::string& name) {
  return name.starts_with("MPIX_");
}
/// What MPI 4 calls the function: MPI_Bcast_init for MPIX_Bcast_init.
std::string standard_name(const std::string& name) {
  return is_extension(name) ? "MPI_" + name.substr(5) : name;
}

bool is_local(const std::string& name) {
  if (std::find(not_local.begin(), not_local.end(), name) != not_local.end()) return false;
  return std::any_of(local_prefixes.begin(), local_prefixes.end(),
                     [&](const char* prefix) { return name.starts_with(prefix); });
}

/// Functions whose communication the hand-written files do not know, newer than Open MPI 4.1 (arrays of large
/// counts). A trace says so, and lacks what they do.
bool is_unknown_communication(const std::string& name) {
  return (name.ends_with("_c") && !name.starts_with("MPI_File_")) || name.ends_with("_init") ||
         name.starts_with("MPI_Pready") || name.starts_with("MPI_Parrived");
}

std::string read(const char* file) {
  std::ifstream in(file);
  if (!in) {
    std::cerr << file << ": cannot be read\n";
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

/// @returns the position after the parenthesis that closes the one at `open`
std::size_t after_parentheses(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

/// The declaration without GNU attributes, line breaks and repeated blanks.
std::string plain(std::string text) {
  for (std::size_t at; (at = text.find("__attribute__")) != std::string::npos;)
    text.erase(at, after_parentheses(text, text.find('(', at)) - at);
  text = std::regex_replace(text, std::regex("^#[^\n]*$", std::regex::multiline), "");
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  return std::regex_replace(text, std::regex("^ *(extern *(\"C\")?)? *| *$"), "");
}

/// "const int level, ..." -> "level"; "int ranges[][3], void" -> "ranges"
std::string names_of(const std::string& parameters) {
  std::string names;
  std::istringstream in(parameters);
  for (std::string parameter; std::getline(in, parameter, ',');) {
    std::smatch match;
    if (!std::regex_search(parameter, match, std::regex("(\\w+) *(\\[[^\\]]*\\] *)*$"))) continue;
    if (match[1] == "void") continue;
    names += (names.empty() ? "" : ", ") + match[1].str();
  }
  return names;
}

std::vector<Function> functions_in(const std::string& header) {
  std::vector<Function> functions;
  std::set<std::string> known;
  std::string statement;
  const auto end_statement = [&] {
    const std::string text = plain(statement);
    statement.clear();
    std::smatch match;
    if (!std::regex_match(text, match, std::regex("([\\w* ]+?[ *])(MPI_\\w+|MPIX_\\w+_init) *\\((.*)\\)")))
      return;
    if (match[1].str().starts_with("typedef") || !known.insert(match[2]).second) return;
    functions.push_back({match[1], match[2], match[3], names_of(match[3])});
  };
  for (const char c : header) {
    if (c == ';' || c == '{' || c == '}') {
      end_statement();
    } else {
      statement += c;
    }
  }
  std::sort(functions.begin(), functions.end(),
            [](const Function& a, const Function& b) { return a.name < b.name; });
  return functions;
}

bool contains(const std::vector<Function>& functions, const std::string& name) {
  return std::any_of(functions.begin(), functions.end(),
                     [&](const Function& function) { return function.name == name; });
}

/// The objects that constants such as MPI_COMM_WORLD are addresses of, in order. MPICH has none.
std::set<std::string> objects_in(const std::string& header) {
  std::set<std::string> names;
  const std::regex declaration("extern struct \\w+ (\\w+);");
  for (std::sregex_iterator at(header.begin(), header.end(), declaration), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

std::set<std::string> hand_written_in(const std::vector<const char*>& files) {
  std::set<std::string> names;
  const std::regex definition("(^|\n)(\\w+ recorded::|RECORD_\\w+\\(\\s*)(MPI_\\w+)(,\\s*(MPI_\\w+))?");
  for (const char* file : files) {
    const std::string text = read(file);
    for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at) {
      names.insert((*at)[3]);
      names.insert((*at)[5]);
      if ((*at)[2].str().starts_with("RECORD_COLLECTIVE")) names.insert((*at)[3].str() + "_init");
    }
  }
  return names;
}

/// The types of parameters, without names: "const void *buf, int count" -> {"const void *", "int "}.
std::vector<std::string> types_of(const Function& function) {
  std::vector<std::string> types;
  std::istringstream in(function.parameters);
  for (std::string parameter; std::getline(in, parameter, ',');)
    types.push_back(std::regex_replace(parameter, std::regex("^ *|\\w+ *(?=(\\[[^\\]]*\\] *)*$)"), ""));
  return types;
}

/// How MPI_Send_c calls MPI_Send: its large counts as int, if they fit. Empty if that is not possible,
/// because counts are in arrays, or there is no such function.
struct Narrowed {
  std::string condition;  ///< "count <= INT_MAX"
  std::string arguments;  ///< "buf, static_cast<int>(count), datatype, dest, tag, comm"
};
Narrowed narrowed(const Function& large, const Function& small) {
  const std::vector<std::string> types = types_of(large), small_types = types_of(small);
  if (types.size() != small_types.size()) return {};
  Narrowed result;
  std::istringstream names(large.arguments);
  std::string name;
  for (std::size_t i = 0; i < types.size() && std::getline(names >> std::ws, name, ','); ++i) {
    if (i > 0) result.arguments += ", ";
    if (types[i] == small_types[i]) {
      result.arguments += name;
    } else if (small_types[i] == "int " && (types[i] == "MPI_Count " || types[i] == "MPI_Aint ")) {
      result.arguments += "static_cast<int>(" + name + ")";
      result.condition += (result.condition.empty() ? "" : " && ") + name + " <= INT_MAX";
    } else {
      return {};
    }
  }
  return result;
}

void write_header(std::ostream& out, const std::vector<Function>& functions) {
  out << "// Written by generate_recorder.\n#pragma once\n\n#include <cstdint>\n\n"
         "#include \"kernels/recorder/mpi.hpp\"\n\n"
         "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n";
  for (const Function& function : functions)
    out << "#define FINEGRAIN_HAS_" << function.name << " 1\n";
  // What is written by hand has the standard's name.
  for (const Function& function : functions) {
    const std::string name = standard_name(function.name);
    if (contains(functions, name)) continue;
    out << "#define FINEGRAIN_HAS_" << name << " 1\n#define " << name << " " << function.name << "\n";
  }
  out << "\nnamespace finegrain::recorder {\n\nenum class Function : std::uint16_t {\n";
  for (const Function& function : functions)
    out << "  " << function.name << ",\n";
  out << "};\nconstexpr int function_count = " << functions.size()
      << ";\nextern const char* const function_names[function_count];\n"
         "extern const bool function_is_only_counted[function_count];\n\n"
         "/// The functions of the program's MPI library.\nstruct RealFunctions {\n";
  for (const Function& function : functions)
    out << "  decltype(&::" << function.name << ") " << function.name << ";\n";
  out << "};\nextern RealFunctions real;\nvoid bind_real_functions();\n\n"
         "/// What is written by hand: does the call, and records it.\nnamespace recorded {\n";
  for (const Function& function : functions)
    out << function.result << function.name << "(" << function.parameters << ");\n";
  out << "}  // namespace recorded\n}  // namespace finegrain::recorder\n\n#pragma GCC diagnostic pop\n";
}

/// What a call of the program does: it is recorded, or counted, and made.
/// @param small  MPI_Send for MPI_Send_c, if MPI_Send is written by hand
std::string recorded_call(const Function& function, bool by_hand, const Function* small) {
  const std::string arguments = "(" + function.arguments + ");\n";
  const std::string call = function.name + arguments;
  const std::string counted = "(Function::" + function.name + ");\n";
  if (by_hand) return "  return recorded::" + standard_name(function.name) + arguments;
  if (is_local(function.name)) {
    return "  if (is_finalizing.load(std::memory_order_relaxed)) [[unlikely]] {\n  const TimedCall timed" +
           counted + "  return real." + call + "  }\n  count_call" + counted + "  return real." + call;
  }
  std::string text;
  const Narrowed as_small = small == nullptr ? Narrowed{} : narrowed(function, *small);
  if (!as_small.condition.empty())
    text += "  if (" + as_small.condition + ") return recorded::" + small->name + "(" + as_small.arguments +
            ");\n";
  if (is_unknown_communication(function.name)) text += "  say_not_recorded" + counted;
  return text + "  const TimedCall timed" + counted + "  return real." + call;
}

/// Between C's and Fortran's handles.
bool is_conversion(const std::string& name) {
  return name.ends_with("_c2f") || name.ends_with("_f2c");
}

/// Whether MPI libraries call the function by its name without P. MPICH's calls those of files.
bool is_used_by_libraries(const std::string& name) {
  return is_local(name) || name.starts_with("MPI_File_");
}

void write_entry_points_of(std::ostream& out, const Function& function, const std::string& recorded_call) {
  for (const bool with_p : {false, true}) {
    const bool library_uses_name = with_p || is_used_by_libraries(function.name);
    out << "extern \"C\" __attribute__((visibility(\"default\"))) " << function.result << (with_p ? "P" : "")
        << function.name << "(" << function.parameters << ") {\n"
        << "  const Depth depth(Function::" << function.name << ");\n";
    if (is_conversion(function.name)) {
      out << "  if (is_of_fortran_library(__builtin_return_address(0))) return real." << function.name << "("
          << function.arguments << ");\n";
    }
    out << "  if (depth.is_nested() && depth.is_made_by_library(__builtin_return_address(0), "
        << (library_uses_name ? "true" : "false") << "))\n"
        << "    return real." << function.name << "(" << function.arguments << ");\n"
        << recorded_call << "}\n";
  }
}

void write_entry_points(std::ostream& out, const std::vector<Function>& functions,
                        const std::set<std::string>& objects, const std::set<std::string>& hand_written) {
  out << "// Written by generate_recorder.\n#include <climits>\n\n#include \"kernels/recorder/call.hpp\"\n"
         "#include \"kernels/recorder/caller.hpp\"\n\n"
         "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n"
         "namespace finegrain::recorder {\n\nconst char* const function_names[function_count] = {\n";
  for (const Function& function : functions)
    out << "  \"" << function.name << "\",\n";
  out << "};\n\nconst bool function_is_only_counted[function_count] = {\n";
  for (const Function& function : functions)
    out << "  " << (is_local(function.name) ? "true" : "false") << ",\n";
  out << "};\n\nRealFunctions real = {};\n\nvoid bind_real_functions() {\n";
  for (const Function& function : functions)
    out << "  real." << function.name << " = reinterpret_cast<decltype(real." << function.name
        << ")>(find_function(\"P" << function.name << "\"));\n";
  for (const std::string& object : objects)
    out << "  bind_object(\"" << object << "\");\n";
  out << "}\n\n}  // namespace finegrain::recorder\n\nusing namespace finegrain::recorder;\n\n";
  for (const Function& function : functions) {
    const Function* small = nullptr;
    for (const Function& other : functions) {
      if (hand_written.contains(other.name) && function.name == other.name + "_c") small = &other;
    }
    write_entry_points_of(
        out, function, recorded_call(function, hand_written.contains(standard_name(function.name)), small));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr
        << "usage: generate_recorder preprocessed-mpi.h functions.hpp entry_points.cpp hand_written.cpp...\n";
    return 2;
  }
  const std::string declarations = read(argv[1]);
  const std::vector<Function> functions = functions_in(declarations);
  if (functions.size() < 200) {
    std::cerr << argv[1] << ": declares " << functions.size() << " MPI functions only\n";
    return 1;
  }
  std::ofstream header(argv[2]);
  write_header(header, functions);
  std::ofstream entry_points(argv[3]);
  write_entry_points(entry_points, functions, objects_in(declarations),
                     hand_written_in({argv + 4, argv + argc}));
  return header.flush() && entry_points.flush() ? 0 : 1;
}
