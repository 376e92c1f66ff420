// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "profile/api_classes.h"
#include "profile/api_cost.h"
#include "profile/api_names.h"
#include "profile/marshal_bytes.h"

namespace prengdl {
namespace {

using namespace marshal_bytes;

std::string name_in_library(std::string_view file, std::string_view name) {
  ProfiledFunction function;
  function.file = file;
  function.name = name;
  return library_name(function).value_or("");
}

TEST(ApiNames, AreReadOutOfWhatPythonPrintsForC) {
  const auto in_c_named = [](std::string_view name) { return name_in_library("~", name); };
  EXPECT_EQ(in_c_named("<method 'item' of 'torch._C._TensorBase' objects>"),
            "torch._C._TensorBase.item");
  EXPECT_EQ(in_c_named("<built-in method torch._C._nn.linear>"), "torch._C._nn.linear");
  EXPECT_EQ(in_c_named("<built-in method addmm>"), "addmm");
  EXPECT_EQ(in_c_named("<built-in method conv2d of type object at 0x7f3c>"), "conv2d");
  EXPECT_EQ(in_c_named("<built-in method __new__ of type object at 0x9d12c0>"), "type.__new__");
  EXPECT_EQ(in_c_named("<built-in method now of datetime object at 0x1>"), "datetime.now");
  EXPECT_EQ(in_c_named("<function Tensor.split at 0x7f33ea8748c8>"), "Tensor.split");
  EXPECT_EQ(in_c_named("<pycocotools._mask.iou>"), "pycocotools._mask.iou");  // Cython
  EXPECT_EQ(in_c_named("<len>"), "builtins.len");                             // Python 2
  EXPECT_EQ(in_c_named("<a b>"), "");
  EXPECT_EQ(in_c_named("<method 'x' objects>"), "");
  EXPECT_EQ(in_c_named("<>"), "");
}

TEST(ApiNames, AreModulesForPythonOfLibraries) {
  EXPECT_EQ(name_in_library("/opt/conda/lib/python3.6/site-packages/torch/optim/adam.py", "step"),
            "torch.optim.adam.step");
  EXPECT_EQ(name_in_library("/usr/lib/python3/dist-packages/numpy/__init__.py", "<module>"),
            "numpy.<module>");
  EXPECT_EQ(name_in_library("/usr/lib/python3.8/json/decoder.py", "raw_decode"),
            "json.decoder.raw_decode");
  EXPECT_EQ(name_in_library("/a/dist-packages/tensorflow_core/python/util/compat.py", "as_text"),
            "tensorflow.python.util.compat.as_text");
  EXPECT_EQ(name_in_library("C:\\Python\\Lib\\site-packages\\torch\\tensor.py", "grad"),
            "torch.tensor.grad");
  EXPECT_EQ(name_in_library("/a/site-packages/x-1.0.egg/x/y.py", "f"), "x.y.f");
  EXPECT_EQ(name_in_library("<frozen importlib._bootstrap>", "_load"),
            "importlib._bootstrap._load");
}

TEST(ApiNames, OwnCodeHasNoneButCanBeToldApart) {
  EXPECT_EQ(name_in_library("/workspace/gnmt/train.py", "train"), "");
  EXPECT_EQ(name_in_library("./src/utils.py", "decode"), "");
  EXPECT_EQ(name_in_library("<string>", "f"), "");
  ProfiledFunction function;
  function.name = "forward";
  function.file = "/workspace/gnmt/seq2seq/train/smoothing.py";
  EXPECT_EQ(own_name(function), "forward (seq2seq/train/smoothing.py)");
  function.file = "./src/utils.py";
  EXPECT_EQ(own_name(function), "forward (src/utils.py)");
  function.file = "train.py";
  EXPECT_EQ(own_name(function), "forward (train.py)");
  function.file = "/a/b/train.py";
  EXPECT_EQ(own_name(function), "forward (a/b/train.py)");
}

TEST(ApiTable, KnowsTheFrameworks) {
  const auto table = ApiTable::shipped();
  const auto known = [&](const std::string& name) {
    const auto api = table.find(name);
    return api.name + ", " + api.api_class.value_or("-") + (api.is_once_a_step ? ", step" : "");
  };
  EXPECT_EQ(known("torch._C._EngineBase.run_backward"), "torch.autograd.backward, gradients, step");
  EXPECT_EQ(known("torch._C._TensorBase.item"), "torch.Tensor.item, waiting");
  EXPECT_EQ(known("torch._C.TensorBase.item"), "torch.Tensor.item, waiting");
  EXPECT_EQ(known("torch._C._TensorBase.mul_"), "torch.Tensor.mul_, calculation");
  EXPECT_EQ(known("addmm"), "torch.addmm, calculation");
  EXPECT_EQ(known("torch.addmm"), "torch.addmm, calculation");
  EXPECT_EQ(known("torch._C._nn.linear"), "torch.nn.functional.linear, calculation");
  EXPECT_EQ(known("torch.optim.adam.step"), "torch.optim.adam.step, optimiser");
  EXPECT_EQ(known("torch.optim.adam.<module>"), "torch.optim.adam.<module>, initialisation");
  EXPECT_EQ(known("_pywrap_tensorflow_internal.TF_SessionRun_wrapper"),
            "tensorflow.Session.run, graph, step");
  EXPECT_EQ(known("builtins.sum"), "builtins.sum, python") << "and not torch's";
  EXPECT_EQ(known("mine.own"), "mine.own, -");
}

TEST(ApiTable, RowsOfTheUserComeFirst) {
  auto table = ApiTable::shipped();
  const auto added = table.add(
      "# mine\nfunction,api,class,per\n\ntorch.Tensor.item,,device,\nlib.*,library.*,work,\n"
      "lib.load lib.read,,data loading,\n*.train_step,,,step\n",
      "mine.csv");
  ASSERT_TRUE(added) << added.error().what();
  EXPECT_EQ(table.find("torch._C._TensorBase.item").api_class, "device") << "by the API's name";
  EXPECT_EQ(table.find("lib.deep.f").name, "library.deep.f");
  EXPECT_EQ(table.find("lib.read").api_class, "data loading");
  EXPECT_TRUE(table.find("any.train_step").is_once_a_step);
  EXPECT_EQ(table.find("torch._C._TensorBase.mul_").api_class, "calculation");
}

TEST(ApiTable, WrongLinesAreNamed) {
  ApiTable table;
  const auto error_of = [&](const std::string& csv) {
    const auto added = table.add(csv, "a.csv");
    return added ? std::string() : std::string(added.error().what());
  };
  const std::string head = "function,api,class,per\n";
  EXPECT_EQ(error_of(""), "a.csv: it has no lines");
  EXPECT_EQ(error_of("name,class\n"), "a.csv line 1: the first line must name the columns");
  EXPECT_EQ(error_of(head + "f,a\n"), "a.csv line 2: 2 cells instead of 4");
  EXPECT_EQ(error_of(head + ",a,b,\n"), "a.csv line 2 column 1: there is no function");
  EXPECT_EQ(error_of(head + "f,,,\n\nf,,,\n"), "a.csv line 4 column 1: 'f' appears twice");
  for (const std::string& pattern : std::vector<std::string>{"a*b", "*", ".*", "a*", "*a*", "*.*"})
    EXPECT_EQ(error_of(head + pattern + ",,,\n"),
              "a.csv line 2 column 1: '" + pattern + "' is not a function");
  EXPECT_EQ(error_of(head + "f,,,epoch\n"), "a.csv line 2 column 4: 'epoch' is not known");
}

/// A training of so many steps, each with two calls of addmm.
CallProfile training(std::int32_t steps, double seconds_a_step) {
  const auto main = function("train.py", 1, "train");
  auto profile = parse_profile(dictionary({
      {main, counted(1, 1, 0.5, 0.5 + 3 * steps * seconds_a_step)},
      {in_c("<method 'run_backward' of 'torch._C._EngineBase' objects>"),
       counted(steps, steps, steps * seconds_a_step, steps * seconds_a_step,
               {{main, called(steps, steps, steps * seconds_a_step, steps * seconds_a_step)}})},
      {in_c("<built-in method addmm>"),
       counted(2 * steps, 2 * steps, 2 * steps * seconds_a_step, 2 * steps * seconds_a_step,
               {{main, called(2 * steps, 2 * steps, 2 * steps * seconds_a_step,
                              2 * steps * seconds_a_step)}})},
      {in_c("<built-in method builtins.len>"), counted(7, 7, 0, 0, {{main, called(7, 7, 0, 0)}})},
  }));
  EXPECT_TRUE(profile);
  return *profile;
}

TEST(ApiCost, IsSortedByOwnTimeAndSharesAddUpToOne) {
  const auto cost = cost_of("a.prof", training(10, 0.25), ApiTable::shipped());
  EXPECT_DOUBLE_EQ(cost.total.count(), 8);
  EXPECT_EQ(cost.calls, 38u);
  ASSERT_EQ(cost.functions.size(), 4u);
  EXPECT_EQ(cost.functions[0].api, "torch.addmm");
  EXPECT_DOUBLE_EQ(*cost.functions[0].share, 5.0 / 8);
  EXPECT_EQ(cost.functions[1].api, "torch.autograd.backward");
  EXPECT_FALSE(cost.functions[2].api) << "own code";
  double shares = 0;
  for (const auto& one : cost.functions) shares += *one.share;
  EXPECT_DOUBLE_EQ(shares, 1);
  EXPECT_EQ(cost.classes[0].name, "calculation");
  const auto apis = apis_of(cost);
  EXPECT_EQ(apis[2].name, "train (train.py)");
  EXPECT_TRUE(apis[2].is_own_code);
}

TEST(ApiCost, FunctionsOfOneApiAreAddedUp) {
  const auto profile = parse_profile(
      dictionary({{in_c("<built-in method relu of type object at 0x1>"), counted(1, 1, 1, 1)},
                  {in_c("<built-in method relu of type object at 0x2>"), counted(2, 2, 2, 2)}}));
  const auto cost = cost_of("a", *profile, ApiTable::shipped());
  const auto apis = apis_of(cost);
  ASSERT_EQ(apis.size(), 1u);
  EXPECT_EQ(apis[0].calls, 3u);
  EXPECT_DOUBLE_EQ(apis[0].own.count(), 3);
}

TEST(ApiCost, ACallWithinAnApiIsNoFurtherCall) {
  const auto in_python =
      function("/lib/python3/site-packages/torch/cuda/__init__.py", 1, "synchronize");
  const auto profile =
      parse_profile(dictionary({{in_python, counted(5, 5, 0.5, 3)},
                                {in_c("<built-in method torch._C._cuda_synchronize>"),
                                 counted(7, 7, 2.5, 2.5, {{in_python, called(5, 5, 2, 2)}})}}));
  const auto apis = apis_of(cost_of("a", *profile, ApiTable::shipped()));
  ASSERT_EQ(apis.size(), 1u);
  EXPECT_EQ(apis[0].name, "torch.cuda.synchronize");
  EXPECT_EQ(apis[0].calls, 7u) << "five through Python, two past it";
  EXPECT_DOUBLE_EQ(apis[0].own.count(), 3);
}

TEST(ApiCost, WithoutTimeThereIsNoShare) {
  const auto profile = parse_profile(dictionary({{in_c("<a>"), counted(1, 1, 0, 0)}}));
  const auto cost = cost_of("a", *profile, ApiTable::shipped());
  EXPECT_FALSE(cost.functions[0].share);
  EXPECT_TRUE(cost_of("empty", *parse_profile("{0"), ApiTable::shipped()).functions.empty());
}

TEST(ApiCost, AFunctionIsFoundByItsNamesOrAPartOfThem) {
  const auto cost = cost_of("a", training(1, 1), ApiTable::shipped());
  const auto name = [&](std::string_view text) {
    const auto found = functions_named(cost, text);
    return found.size() == 1 ? name_of(cost, cost.functions[found[0]]) : std::string("?");
  };
  EXPECT_EQ(name("torch.autograd.backward"), "torch.autograd.backward");
  EXPECT_EQ(name("BACKWARD"), "torch.autograd.backward");
  EXPECT_EQ(name("train"), "train (train.py)") << "the whole name comes before parts";
  EXPECT_EQ(name("<built-in method addmm>"), "torch.addmm");
  EXPECT_TRUE(functions_named(cost, "xyzzy").empty());
}

TEST(ApiCost, TheThresholdIsTheSameForAllProfiles) {
  const auto table = ApiTable::shipped();
  const std::vector<ProfileCost> costs{cost_of("a", training(10, 0.25), table),
                                       cost_of("b", training(10, 0.0001), table)};
  const auto rows = side_by_side(costs, 0.05);
  ASSERT_EQ(rows.size(), 3u) << "len has no time in either";
  for (const auto& row : rows) {
    EXPECT_TRUE(row.in[0]) << row.name;
    EXPECT_TRUE(row.in[1]) << "below the threshold there, but shown all the same";
  }
}

TEST(CallDifferences, ShowUnequalWork) {
  const auto table = ApiTable::shipped();
  const auto a = cost_of("a", training(10, 0.25), table);
  const auto b = cost_of("b", training(12, 0.25), table);
  const auto found = call_differences(a, b);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].of, CallDifference::Of::steps);
  EXPECT_EQ(found[0].name, "torch.autograd.backward");
  EXPECT_EQ(found[0].calls[0], 10u);
  EXPECT_EQ(found[0].calls[1], 12u);
  EXPECT_DOUBLE_EQ(found[0].ratio(), 10.0 / 12);
  EXPECT_EQ(found.back().of, CallDifference::Of::function);
  EXPECT_TRUE(call_differences(a, a).empty());
}

TEST(CallDifferences, CompareStepsOfDifferentFrameworks) {
  const auto table = ApiTable::shipped();
  const auto session = parse_profile(
      dictionary({{in_c("<built-in method _pywrap_tensorflow_internal.TF_SessionRun_wrapper>"),
                   counted(11, 11, 5, 5)}}));
  const auto found =
      call_differences(cost_of("a", training(10, 0.25), table), cost_of("b", *session, table));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "tensorflow.Session.run, torch.autograd.backward");
}

}  // namespace
}  // namespace prengdl
