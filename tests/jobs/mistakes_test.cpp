#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Lines 1 to 5 of most jobs below.
const std::string data = R"(data.A = { for = "i in 0..4", shape = [2, 3], dtype = "f32", origin = "ones" }
data.B = { shape = [3, 2], dtype = "f32", origin = "zeros" }
data.C = { for = "i in 0..4", shape = [2, 2], dtype = "f32" }
data.G = { for = ["i in 0..4", "j in 1..3"], shape = [2, 2], dtype = "f32", origin = "ones" }
data.N = { shape = [2, 2], dtype = "i32", origin = "iota" }
)";
const std::string spin = "task = [ { kernel = 'spin', parameters = { microseconds = 1 } } ]\n";

/// A task at line 6 that is right, but for what replaces a line of it.
std::string gemm(const std::string& from = "", const std::string& to = "") {
  std::string text = R"([[task]]
for = "i in 0..4"
kernel = "gemm"
read = ["A[i]", "B"]
write = ["C[i]"]
)";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return data + text;
}

std::string save(const std::string& rest) { return gemm() + "[[save]]\n" + rest + "\n"; }

/// A task, which begins at line 8, in a group.
std::string group(const std::string& rest) { return data + "[[group]]\nfor = 'k in 0..4'\n[[group.task]]\n" + rest; }

/// Groups inside each other, in one line.
std::string nested(int depth) {
  std::string text;
  for (int level = 0; level < depth; ++level) text += "group = [ { ";
  text += spin.substr(0, spin.size() - 1);
  for (int level = 0; level < depth; ++level) text += " } ]";
  return text;
}

struct Row {
  std::string text;
  std::string place;   ///< line:column
  std::string phrase;  ///< part of what is said
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.phrase; }

const std::vector<Row> rows = {
    // the text
    {"", "1:1", "the job is empty"},
    {data, "1:1", "the job is empty"},
    {"[job", "1:5", "this is not TOML"},
    {"a = 1\na = 2", "2:5", "this is not TOML"},
    {"x = \"\xff\"", "1:5", "this is not TOML"},
    {"x = " + std::string(100'000, '['), "1:261", "this is not TOML"},
    {"x" + std::string(100'000, '.'), "1:21", "more than 20 parts"},
    {"[a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u]", "1:41", "more than 20 parts"},
    {"tasks = 1", "1:1", "unknown key 'tasks' in the job file, did you mean 'task'?"},
    {"\nzzz = 1\naaa = 2", "2:1",
     "unknown key 'zzz' in the job file; known: job, include, values, defaults, data, task, save, group"},
    // [job]
    {spin + "job = 1", "2:7", "[job] is an integer, a table is needed"},
    {spin + "[job]\ntitle = 'x'", "3:1", "unknown key 'title' in [job]"},
    {spin + "[job]\nname = 3", "3:8", "'name' in [job] is an integer, a string is needed"},
    {spin + "[job]\nname = '../x'", "3:8", "not usable"},
    {spin + "[job]\nname = ''", "3:8", "not usable"},
    // [data]
    {"data = 3\n" + spin, "1:8", "[data] is an integer"},
    {"data.A = 3\n" + spin, "1:10", "[data.A] is an integer"},
    {"data.'a b' = {}\n" + spin, "1:6", "'a b' cannot name data"},
    {"[data.A]\nshap = [3]\n" + spin, "2:1", "unknown key 'shap' in [data.A], did you mean 'shape'?"},
    {"[data.A]\ndtype = 'f32'\n", "1:1", "lacks the key 'shape'"},
    {"[data.A]\nshape = [3]\n", "1:1", "lacks the key 'dtype'"},
    {"[data.A]\nshape = 3\ndtype = 'f32'", "2:9", "a list of integers is needed"},
    {"[data.A]\nshape = [3, 2.5]\ndtype = 'f32'", "2:13", "a list of integers is needed"},
    {"[data.A]\nshape = [3, -1]\ndtype = 'f32'", "2:9", "an extent is negative"},
    {"[data.A]\nshape = [1,1,1,1,1,1,1,1,1]\ndtype = 'f32'", "2:9", "at most 8 extents"},
    {"[data.A]\nshape = [4000000000, 4000000000]\ndtype = 'f32'", "2:9", "overflows"},
    {"[data.A]\nfor = 'i in 0..2000'\nshape = [1000000000000000]\ndtype = 'f64'", "3:9", "more than 2^63 bytes"},
    {"[data.A]\nshape = [3]\ndtype = 'f16'", "3:9", "unknown dtype 'f16', did you mean 'f32'?"},
    {"[data.A]\nshape = [3]\ndtype = 32", "3:9", "'dtype' in [data.A] is an integer"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'zero'", "4:10", "unknown origin 'zero', did you mean 'zeros'?"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'", "1:1", "lacks the key 'seed'"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'\nseed = 1.5", "5:8",
     "parameter seed of kernel uniform is a real number, an integer is needed"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'\nseed = 'i'", "5:8",
     "unknown index or value 'i', there is neither a `for` nor a value here"},
    {"[data.A]\nfor = 'i in 0..9'\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'\nseed = 'i * i'", "6:8",
     "one side must be"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'\nseed = 1\nlow = 2", "6:7",
     "low and high are no interval"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'\nseed = 1\nhigh = inf", "6:8",
     "low and high are no interval"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'uniform'\nseed = 1\nlow = 'x'", "6:7",
     "unknown index or value 'x'"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'ones'\nseed = 1", "5:8",
     "used only with the origin uniform or normal"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\nfile = 'a'", "4:8", "used only with the origin file"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'file'", "1:1", "lacks the key 'file'"},
    {"[data.A]\nshape = [3]\ndtype = 'f32'\norigin = 'file'\nfile = 'a_{i}.npy'", "5:8", "unknown index or value 'i'"},
    // for
    {"[data.A]\nfor = 3\nshape = [3]\ndtype = 'f32'", "2:7", "a range such as \"i in 0..64\""},
    {"[data.A]\nfor = []\nshape = [3]\ndtype = 'f32'", "2:7", "a range such as \"i in 0..64\""},
    {"[data.A]\nfor = ['i in 0..3', 4]\nshape = [3]\ndtype = 'f32'", "2:21", "a list of strings is needed"},
    {"[data.A]\nfor = 'i = 0..3'\nshape = [3]\ndtype = 'f32'", "2:7", "not of the form \"i in 0..64\""},
    {"[data.A]\nfor = 'i in 3..3'\nshape = [3]\ndtype = 'f32'", "2:7", "is empty"},
    {"[data.A]\nfor = ['i in 0..3', 'i in 0..3']\nshape = [3]\ndtype = 'f32'", "2:21", "used by two ranges"},
    {"[data.A]\nfor = 'i in 0..2147483649'\nshape = [3]\ndtype = 'f32'", "2:7", "more than 2^31 elements"},
    {"[data.A]\nfor = 'i in 0..2000000000000'\nshape = [3]\ndtype = 'f32'", "2:7", "more than 2^40 steps"},
    // [[task]]
    {"[task]\nkernel = 'spin'", "1:1", "'task' is a table, tables [[task]] are needed"},
    {"task = [1]", "1:9", "[[task]] is an integer"},
    {gemm("kernel", "kernl"), "8:1", "unknown key 'kernl' in [[task]], did you mean 'kernel'?"},
    {gemm("kernel = \"gemm\"", ""), "6:1", "[[task]] lacks the key 'kernel'"},
    {gemm("\"gemm\"", "\"gem\""), "8:10", "unknown kernel 'gem', did you mean 'gemm'?"},
    {gemm("\"gemm\"", "5"), "8:10", "'kernel' in [[task]] is an integer"},
    {gemm("\"A[i]\", ", ""), "9:8", "'read' has 1 data, 2 are needed: kernel gemm takes read a, read b, write c"},
    {gemm("[\"A[i]\", \"B\"]", "\"B\""), "9:8", "a list of strings is needed"},
    {gemm("\"B\"", "7"), "9:17", "a list of strings is needed"},
    {gemm("[\"C[i]\"]", "[]"), "10:9", "'write' has 0 data, 1 are needed"},
    {gemm("[\"C[i]\"]", "[\"C[i]\", \"C[i]\"]"), "10:9", "'write' has 2 data, 1 are needed"},
    {gemm() + "read_write = ['N', 'N']", "11:14", "'read_write' has 2 data, 0 to 1 are needed"},
    {gemm() + "read_write = ['G[0, 1]']", "10:9", "'write' has 1 data, 0 are needed"},
    {data + "[[task]]\nkernel = 'spin'\nread = ['B']", "8:8", "kernel spin takes no data"},
    {gemm("\"B\"", "\"D\""), "9:17", "unknown data 'D'; known: A, B, C, G, N"},
    {gemm() + "commute = 'c'", "11:11", "'commute' in [[task]] is a string, a list of strings is needed"},
    {gemm() + "commute = ['c']", "11:12", "the task does not read and write 'c', which 'commute' needs"},
    {gemm() + "reduce = { b = 'sum' }", "11:12", "the task does not read and write 'b', which 'reduce' needs"},
    {gemm("write", "read_write") + "commute = ['C']", "11:12",
     "kernel gemm has no argument 'C', did you mean 'c'?; it takes a, b, c"},
    {gemm("write", "read_write") + "commute = ['c', 'c']", "11:17", "'commute' names 'c', once is enough"},
    {gemm("write", "read_write") + "commute = ['c']\nreduce = { c = 'sum' }", "12:12", "'commute' names 'c'"},
    {gemm("write", "read_write") + "reduce = 'c'", "11:10", "'reduce' is a string, a table is needed"},
    {gemm("write", "read_write") + "reduce = { c = 3 }", "11:16",
     "'reduce' in [[task]] is an integer, \"sum\", another operation, or a table for each argument is needed"},
    {gemm("write", "read_write") + "reduce = { c = 'summ' }", "11:16",
     "unknown operation 'summ', did you mean 'sum'?; known: sum, product, minimum, maximum"},
    {gemm("write", "read_write") + "reduce = { d = 'sum' }", "11:12", "kernel gemm has no argument 'd'"},
    {gemm("write", "read_write") + "reduce = { c = { combine = 'larger' } }", "11:16", "lacks the key 'neutral'"},
    {gemm("write", "read_write") + "reduce = { c = { combine = 'larger', neutral = '0' } }", "11:48",
     "'neutral' in the reduction of 'c' is a string, a number is needed"},
    {gemm("write", "read_write") + "reduce = { c = { combine = 'add', neutral = 0 } }", "11:28",
     "kernel add cannot combine"},
    {gemm("write", "read_write") + "reduce = { c = { combin = 'larger', neutral = 0 } }", "11:18",
     "unknown key 'combin' in the reduction of 'c', did you mean 'combine'?"},
    {data + "[[task]]\nkernel = 'increment'\nread_write = ['N']\nreduce = { x = { combine = 'larger', neutral = 0 } }",
     "9:16", "kernel larger takes f32 or f64 for into, N is i32"},
    {data + "[[task]]\nkernel = 'mix'\nread_write = ['N', 'N']\nreduce = { x = 'sum' }", "8:20",
     "accesses this datum twice"},
    {data + "[[task]]\nfor = 'i in 0..4'\nkernel = 'increment'\nread_write = ['C[i]']\ncommute = ['x']", "9:15",
     "data C is read before anything wrote it"},
    {gemm("A[i]", "A[i"), "9:9", "'A[i' is no reference to data"},
    {gemm("A[i]", ""), "9:9", "'' is no reference to data"},
    {gemm("A[i]", "A"), "9:9", "data A has 1 range, so 1 subscript is needed, not 0"},
    {gemm("A[i]", "A[i, i]"), "9:9", "data A has 1 range, so 1 subscript is needed, not 2"},
    {gemm("\"B\"", "\"B[i]\""), "9:17", "data B has 0 ranges, so 0 subscripts are needed, not 1"},
    {gemm("A[i]", "G[i]"), "9:9", "data G has 2 ranges, so 2 subscripts are needed, not 1"},
    {gemm("A[i]", "A[]"), "9:9", "the expression '' has its end"},
    {gemm("A[i]", "A[j]"), "9:9", "unknown index or value 'j'"},
    {gemm("A[i]", "A[i + 1]"), "9:9", "the subscript 'i + 1' becomes 4, A has 0..4"},
    {gemm("A[i]", "A[i - 1]"), "9:9", "the subscript 'i - 1' becomes -1, A has 0..4"},
    {gemm("A[i]", "G[0, i]"), "9:9", "the subscript 'i' becomes 0, G has 1..3"},
    {gemm("A[i]", "A[9223372036854775807 * i]"), "9:9", "does not fit into 64 bits"},
    {gemm("in 0..4", "in 0..5"), "9:9", "the subscript 'i' becomes 4, A has 0..4"},
    {gemm("\"B\"", "\"N\""), "9:17", "kernel gemm takes f32 or f64 for b, N is i32"},
    {gemm("\"B\"", "\"A[i]\""), "9:9", "the columns of op(a) must be the rows of op(b)"},
    {gemm() + "parameters = 3", "11:14", "'parameters' is an integer"},
    {gemm() + "parameters = { alfa = 1.0 }", "11:16", "has no parameter 'alfa', did you mean 'alpha'?"},
    {gemm() + "parameters = { alpha = 'x' }", "11:24", "unknown index or value 'x'"},
    {gemm() + "parameters = { transpose_a = 1 }", "11:30", "is an integer, a boolean is needed"},
    {gemm() + "parameters = { alpha = [1] }", "11:24", "parameter 'alpha' is a list"},
    {gemm() + "parameters = { beta = 1 }", "11:23", "beta needs c read_write"},
    {"task = [ { kernel = 'spin' } ]", "1:10", "kernel spin needs the parameter microseconds, a real number"},
    {"[[task]]\nkernel = 'spin'\nparameters = {}", "3:14", "kernel spin needs the parameter microseconds"},
    {"[[task]]\nkernel = 'spin'\nparameters = { microseconds = true }", "3:31",
     "is a boolean, a real number is needed"},
    {gemm() + "cores = 0", "11:9", "'cores' is 0, 1 to 1024 are allowed"},
    {gemm() + "cores = 1.5", "11:9", "'cores' in [[task]] is a real number"},
    // the order of accesses
    {data + "[[task]]\nkernel = 'increment'\nread_write = ['C[0]']", "8:15", "data C is read before anything wrote it"},
    {data + "[[save]]\ndata = 'C[0]'\nfile = 'c'", "7:8", "data C is read before anything wrote it"},
    {save("data = 'C[0]'\nfile = 'c'\n[[task]]\nkernel = 'gemm'\nread = ['C[1]', 'C[2]']\nwrite = ['C[2]']"), "17:10",
     "accesses this datum twice and writes it"},
    {gemm("in 0..4", "in 0..3") + "[[save]]\nfor = 'i in 0..4'\ndata = 'C[i]'\nfile = '{i}'", "13:8",
     "C[3] is read before anything wrote it"},
    {gemm("\"A[i]\", \"B\"", "\"C[i]\", \"G[0, 1]\""), "10:10", "twice and writes it"},
    {data + "[[task]]\nfor = 'i in 0..3'\nkernel = 'gemm'\nread = ['C[i]', 'C[i]']\nwrite = ['C[i + 1]']", "9:9",
     "C[0] is read before anything wrote it"},
    {gemm() + "[[task]]\nfor = 'i in 0..4'\nkernel = 'gemm'\nread = ['C[i]', 'C[i]']\nwrite = ['C[3 - i]']\n" +
         "[[task]]\nfor = ['i in 0..3', 'j in 0..3']\nkernel = 'gemm'\nread = ['C[i]', 'C[3]']\nwrite = ['C[j]']",
     "20:10", "a task accesses C[0] twice and writes it"},
    // [[save]]
    {save("data = 'C[0]'"), "11:1", "[[save]] lacks the key 'file'"},
    {save("file = 'c'"), "11:1", "[[save]] lacks the key 'data'"},
    {save("datum = 'C[0]'"), "12:1", "unknown key 'datum' in [[save]], did you mean 'data'?"},
    {save("data = ['C[0]']\nfile = 'c'"), "12:8", "'data' in [[save]] is a list, a string is needed"},
    {save("data = 'C[4]'\nfile = 'c'"), "12:8", "the subscript '4' becomes 4"},
    {save("data = 'C[0]'\nfile = '/c'"), "13:8", "is absolute"},
    {save("data = 'C[0]'\nfile = '../c'"), "13:8", "has a '..'"},
    {save("data = 'C[0]'\nfile = 'a/../../c'"), "13:8", "has a '..'"},
    {save("data = 'C[0]'\nfile = 'c_{i'"), "13:8", "'{' without its '}'"},
    {save("data = 'C[0]'\nfile = \"a\\u0000b\""), "13:8", "control characters"},
    {save("for = 'i in 0..4'\ndata = 'C[i]'\nfile = 'c'"), "14:8", "'c' is written twice by this entry"},
    {save("for = 'i in 0..4'\ndata = 'C[i]'\nfile = 'c_{2 * i - 2 * i}'"), "14:8",
     "'c_0' is written twice by this entry"},
    {save("data = 'C[0]'\nfile = 'c_1'\n[[save]]\nfor = 'i in 0..4'\ndata = 'C[i]'\nfile = 'c_{i}'"), "17:8",
     "'c_1' is written twice, see line 13"},
    {save("data = 'C[0]'\nfile = 'c/x'\n[[save]]\ndata = 'C[1]'\nfile = 'c'"), "13:8",
     "'c' is a folder of 'c/x' and a file, see line 16"},
    {save("for = 'i in 0..5000000'\ndata = 'C[0]'\nfile = 'c_{i}'"), "11:1", "more than 4194304 files"},
    // groups
    {data + "[[group]]\nfor = 'k in 0..4'", "6:1", "the group is empty, a [[group.task]] in it is needed"},
    {data + "[group]\nfor = 'k in 0..4'", "6:1", "'group' is a table, tables [[group]] are needed"},
    {data + "[[group]]\n[group.task]\nkernel = 'spin'", "7:1", "'task' is a table, tables [[group.task]] are needed"},
    {group("kernel = 'spin'\nparameters = { microsecond = 1 }"), "10:16", "has no parameter 'microsecond', did you"},
    {group("kernl = 'spin'"), "9:1", "unknown key 'kernl' in [[group.task]], did you mean 'kernel'?"},
    {data + "[[group]]\nfr = 'k in 0..4'\n[[group.task]]\nkernel = 'spin'", "7:1",
     "unknown key 'fr' in [[group]], did you mean 'for'?"},
    {group("for = 'k in 0..3'\nkernel = 'spin'"), "9:7", "the index 'k' is used by two ranges"},
    {group("for = 'j in k..k'\nkernel = 'spin'"), "9:7", "is empty"},
    {group("for = 'j in k+1..i'\nkernel = 'spin'"), "9:7", "unknown index or value 'i'; known: k"},
    {group("for = 'j in 0..k*k'\nkernel = 'spin'"), "9:7", "multiplies variables"},
    {group("for = 'j in 0..k step k'\nkernel = 'spin'"), "9:7", "no positive constant"},
    {group("if = 'k'\nkernel = 'spin'"), "9:6", "is a number, a comparison"},
    {group("if = true\nkernel = 'spin'"), "9:6", "'if' in [[group.task]] is a boolean, a string is needed"},
    {group("name = ''\nkernel = 'spin'"), "9:8", "the name is empty"},
    {group("name = 'x{q}'\nkernel = 'spin'"), "9:8", "unknown index or value 'q'"},
    {group("name = \"x\\u001b[31m\"\nkernel = 'spin'"), "9:8", "has control characters"},
    {group("kernel = 'increment'\nread_write = ['A[k + 1]']"), "10:15", "the subscript 'k + 1' becomes 4, A has 0..4"},
    {group("if = 'k < 4'\nkernel = 'increment'\nread_write = ['A[k + 1]']"), "11:15",
     "the subscript 'k + 1' becomes 4, A has 0..4"},
    {group("for = 'j in k+1..5'\nkernel = 'increment'\nread_write = ['A[j]']"), "11:15",
     "the subscript 'j' becomes 4, A has 0..4"},
    {group("if = 'k != 2'\nkernel = 'gemm'\nread = ['A[0]', 'B']\nwrite = ['C[k]']\n[[save]]\n"
           "for = 'i in 0..4'\ndata = 'C[i]'\nfile = '{i}'"),
     "15:8", "C[2] is read before anything wrote it"},
    {group("if = 'k > 0'\nkernel = 'increment'\nread_write = ['C[k - 1]']\n[[group.task]]\nkernel = 'gemm'\n"
           "read = ['A[k]', 'B']\nwrite = ['C[k]']\n[[group.task]]\nif = 'k == 3'\nkernel = 'increment'\n"
           "read_write = ['C[k - 4]']"),
     "19:15", "the subscript 'k - 4' becomes -1"},
    {nested(17), "1:203", "more than 16 groups are inside each other"},
    // parameters that follow the indices
    {group("kernel = 'spin'\nparameters = { microseconds = 'k * k' }"), "10:31", "multiplies variables"},
    {group("kernel = 'uniform'\nwrite = ['C[k]']\nparameters = { seed = 'k', high = '1 - k' }"), "11:35",
     "low and high are no interval"},
    {group("kernel = 'gemm'\nread = ['A[k]', 'B']\nwrite = ['C[k]']\nparameters = { transpose_a = 'k' }"), "12:30",
     "parameter transpose_a of kernel gemm is 'k', true, false or the name of a boolean value is needed"},
    {group("kernel = 'load'\nwrite = ['C[k]']\nparameters = { path = '{k' }"), "11:23", "a '{' without its '}'"},
    {group("kernel = 'load'\nwrite = ['C[k]']\nparameters = { path = 'none.npy' }"), "11:23",
     "/none.npy: cannot be opened"},
    // kernels that write files
    {group("kernel = 'save'\nread = ['A[k]']\nparameters = { path = '/etc/passwd' }"), "9:10",
     "kernel save writes files and is for [[save]] only, write [[save]] data = \"...\", file = \"...\""},
    {group("kernel = 'save_part'"), "9:10", "kernel save_part writes files"},
    {group("kernel = 'publish'"), "9:10", "kernel publish writes files"},
    // paths made of lists
    {"values.names = ['a', '..']\n" + data + "[[save]]\nfor = 's in names'\ndata = 'A[0]'\nfile = 'x/{s}'", "10:8",
     "the path 'x/..' has a '..'"},
    {"values.names = ['a', '/b']\n" + data + "[[save]]\nfor = 's in names'\ndata = 'A[0]'\nfile = '{s}'", "10:8",
     "the path '/b' is absolute"},
    {"values.names = ['a', 'b', 'a']\n" + data + "[[save]]\nfor = 's in names'\ndata = 'A[0]'\nfile = '{s}'", "10:8",
     "'a' is written twice by this entry"},
    {"data.T = { shape = [4], tile = [3], dtype = 'f32', origin = 'ones' }\n[[save]]\nfor = 'i in 0..2'\n"
     "data = 'T'\nfile = 'same'",
     "5:8", "'same' is written twice by this entry"},
    {"data.T = { shape = [4], tile = [3], dtype = 'f32', origin = 'ones' }\n[[save]]\ndata = 'T[0, 0]'\nfile = 'same'",
     "3:8", "data T has 0 ranges and 1 axis of tiles, so 1 subscript is needed, not 2"},
    // numbers
    {"[values]\nn = 9223372036854775808", "2:24", "this is not TOML"},
    {"[data.A]\nshape = [18446744073709551616]\ndtype = 'f32'", "2:30", "this is not TOML"},
    {"[data.A]\nshape = [0x]\ndtype = 'f32'", "2:12", "this is not TOML"},
    {"[data.A]\nshape = [007]\ndtype = 'f32'", "2:13", "this is not TOML"},
    {"[data.A]\nshape = ['3 +']\ndtype = 'f32'", "2:10", "the expression '3 +' has its end"},
    {"[data.A]\nfor = 'i in 0..4294967296'\nshape = [1]\ndtype = 'f32'", "2:7", "more than 2^31 elements"},
    {"[data.A]\nfor = 'i in 0..4 step 2'\nshape = [1]\ndtype = 'f32'", "2:7",
     "not one from a constant to a constant, as data need"},
    {"[data.A]\nfor = ['i in 0..4', 'j in i..4']\nshape = [1]\ndtype = 'f32'", "2:21",
     "not one from a constant to a constant, as data need"},
};

class JobMistake : public testing::TestWithParam<Row> {};

TEST_P(JobMistake, IsReportedInOneLineWithItsPlace) {
  const JobFolder folder(GetParam().text);
  std::string message = "no mistake found";

  try {
    static_cast<void>(folder.load());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_job);
    message = error.what();
  }

  EXPECT_THAT(message, StartsWith(folder.path() + ":" + GetParam().place + ": "));
  EXPECT_THAT(message, HasSubstr(GetParam().phrase));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Table, JobMistake, testing::ValuesIn(rows),
                         [](const auto& row) { return "row" + std::to_string(row.index); });

TEST(JobMistakes, TheJobsTheRowsAreMadeFromAreRight) {
  EXPECT_NO_THROW(static_cast<void>(JobFolder(gemm()).load()));
  EXPECT_NO_THROW(static_cast<void>(JobFolder(data + spin).load()));
  EXPECT_NO_THROW(static_cast<void>(JobFolder(save("for = 'i in 0..4'\ndata = 'C[i]'\nfile = 'c/{i}'")).load()));
}

std::string message_of(const std::string& path) {
  try {
    static_cast<void>(Job::load(JobText(path), kernels()));
  } catch (const Error& error) {
    return error.what();
  }
  return "no mistake found";
}

TEST(JobMistakes, FilesThatAreNoJobFiles) {
  const JobFolder folder(spin);

  EXPECT_EQ(message_of(folder.file("none.toml")),
            folder.file("none.toml") + ":1:1: there is no such file, the path of a job file is needed");
  EXPECT_THAT(message_of(folder.file("")), HasSubstr(":1:1: this is not a regular file"));
}

TEST(JobMistakes, FileOfMoreThan64MiBIsNotRead) {
  const JobFolder folder(spin);
  std::filesystem::resize_file(folder.path(), (std::uintmax_t{64} << 20) + 1);

  EXPECT_THAT(message_of(folder.path()), HasSubstr("larger than 64 MiB"));
}

TEST(JobMistakes, TextsThatAreNoTomlAreRefusedInOneLine) {
  const std::vector<std::string> texts = {
      "\xef\xbb\xbf",                    // nothing but a byte order mark
      std::string("\xff\xfe[\0j\0", 6),  // UTF-16
      std::string("x = 1\0", 6),         // a zero byte
      std::string("\x7f") + "ELF\x02\x01\x01",
      "x = '\xc0\xaf'",      // overlong
      "x = '\xed\xa0\x80'",  // half of a pair
      "x = '\xe2\x82",       // ends within a character
      "x = 1\rtask = []",    // a carriage return alone
      "x = \"\\ud800\"",
      "x = [1,",
      "x = {",
      "x = '''",
      "[[task]]\n[task]",
      "[data.A]\n[data.A]",
  };
  for (const std::string& text : texts) {
    const JobFolder folder(text);
    const std::string message = message_of(folder.path());

    EXPECT_THAT(message, StartsWith(folder.path() + ":")) << text;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_THAT(message, testing::AnyOf(HasSubstr("this is not TOML"), HasSubstr("the job is empty"))) << text;
  }
}

TEST(JobMistakes, MarksAndLineEndsOfOtherSystemsAreRight) {
  EXPECT_EQ(message_of(JobFolder("\xef\xbb\xbf" + spin).path()), "no mistake found");
  EXPECT_EQ(message_of(JobFolder("[[task]]\r\nkernel = 'spin'\r\nparameters = { microseconds = 1 }").path()),
            "no mistake found");
}

TEST(JobMistakes, SixteenGroupsAreRight) {
  std::string headers;
  std::string prefix = "group";
  for (int level = 0; level < 16; ++level) {
    headers += "[[" + prefix + "]]\n";
    prefix += level < 15 ? ".group" : ".task";
  }
  headers += "[[" + prefix + "]]\nkernel = 'spin'\nparameters = { microseconds = 1 }";

  EXPECT_EQ(message_of(JobFolder(nested(16)).path()), "no mistake found");
  EXPECT_EQ(message_of(JobFolder(headers).path()), "no mistake found");
}

/// A job that loads data/f4.npy of the npy tests: f32 [2, 3, 4].
std::string loading(const std::string& shape, const std::string& dtype, const std::string& file) {
  return "[data.A]\nfor = 'i in 4..6'\nshape = " + shape + "\ndtype = '" + dtype + "'\norigin = 'file'\nfile = '" +
         PENSTOCK_NPY_DATA + "/" + file + "'\n[[save]]\ndata = 'A[4]'\nfile = 'x'\n";
}

TEST(JobMistakes, InputFilesAreLookedAt) {
  const JobFolder right(loading("[2, 3, 4]", "f32", "f4.npy"));
  const JobFolder missing(loading("[2, 3, 4]", "f32", "f{i}.npy"));
  const JobFolder shape(loading("[2, 3, 5]", "f32", "f4.npy"));
  const JobFolder dtype(loading("[2, 3, 4]", "f64", "f4.npy"));
  const JobFolder format(loading("[2, 3, 4]", "f32", "big_endian.npy"));

  EXPECT_EQ(message_of(right.path()), "no mistake found");
  EXPECT_THAT(message_of(missing.path()), StartsWith(missing.path() + ":6:8: "));
  EXPECT_THAT(message_of(missing.path()), HasSubstr("/f5.npy: cannot be opened: No such file"));
  EXPECT_THAT(message_of(shape.path()), HasSubstr("f4.npy holds f32 [2, 3, 4], [data.A] says f32 [2, 3, 5]"));
  EXPECT_THAT(message_of(dtype.path()), HasSubstr("f4.npy holds f32 [2, 3, 4], [data.A] says f64 [2, 3, 4]"));
  EXPECT_THAT(message_of(format.path()), HasSubstr("(big-endian)"));
}

}  // namespace
}  // namespace penstock::jobs::test
