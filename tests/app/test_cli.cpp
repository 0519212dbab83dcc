// Tests the program as a shell calls it: output, exit codes and files.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/shell.h"

using nlohmann::json;
using namespace shardscope::testing;

TEST_CASE("estimate: a scenario from standard input gives text and JSON", "[cli]") {
    const RunResult text = run("estimate -");
    CHECK(text.code == 0);
    CHECK(text.out.find("Compute is the wall: it limits ") != std::string::npos);
    const RunResult result = run("estimate - --format json");
    CHECK(result.code == 0);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    CHECK(json::parse(result.out)["verdict"] == "fits");
    CHECK(run("estimate - --format json").out == result.out);
}

TEST_CASE("estimate: the fullest stage is named with its first rank, and memory in three kinds", "[cli]") {
    const std::string plan =
        " --set sharding=zero1 --set pipeline_parallel=4 --set tensor_parallel=2 --set micro_batch=1";
    // 64 GPUs in four stages: a stage has 16 ranks, or 2 of every 8 if pipelines come before replicas.
    for (const auto& [order, ranks] : {std::pair{"tp-cp-ep-dp-pp", 16}, std::pair{"tp-cp-ep-pp-dp", 2}}) {
        const std::string command = "estimate -" + plan + " --set rank_order=" + order;
        const json memory = json::parse(run(command + " --format json").out)["memory"];
        const int stage = memory["peak_stage"].get<int>();
        CHECK(memory["peak_rank"] == (stage - 1) * ranks);
        const RunResult text = run(command);
        CHECK(text.out.find("on stage " + std::to_string(stage) + " of 4 (first rank " +
                            std::to_string((stage - 1) * ranks) + ")") != std::string::npos);
        CHECK(text.out.find("allocated, reserved, device") != std::string::npos);
    }
}

TEST_CASE("estimate: habits of the stack that the scenario does not set are listed as assumed", "[cli]") {
    const auto has = [](const json& list, const char* key) {
        return std::find(list.begin(), list.end(), key) != list.end();
    };
    const json unset = json::parse(run("estimate - --format json").out)["assumed"];
    CHECK(has(unset, "gradient_precision"));
    CHECK_FALSE(has(unset, "moe_dispatcher"));  // the model has no experts
    const std::string set = " --set gradient_precision=fp32";
    CHECK_FALSE(has(json::parse(run("estimate - --format json" + set).out)["assumed"], "gradient_precision"));
    const std::string text = run("estimate - --set software=nanotron").out;
    CHECK(text.find("assumed for the stack: ") != std::string::npos);
    CHECK(text.find("gradient_precision fp32") != std::string::npos);
}

TEST_CASE("estimate: recomputed modules without selective recomputation are named", "[cli]") {
    const std::string modules = "estimate - --set recompute_modules=mlp --set recompute=";
    CHECK(run(modules + "none").out.find("The recomputed modules have no effect") != std::string::npos);
    CHECK(run(modules + "selective").out.find("have no effect") == std::string::npos);
}

TEST_CASE("estimate: --set accepts full and short keys, and units", "[cli]") {
    const RunResult slow =
        run("estimate - --format json --set inter_node_bandwidth='10 Gbit/s' --set training.micro_batch=1");
    REQUIRE(slow.code == 0);
    CHECK(json::parse(slow.out)["wall"] == "inter-node");
    CHECK(json::parse(slow.out)["plan"]["micro_batch"] == 1);
    const RunResult preset =
        run("estimate - --format json --set model.preset=mpt-7b --set cluster.preset=dgx-a100-80gb");
    CHECK(json::parse(preset.out)["parameters"] == 6658859008.0);
    CHECK(run("estimate - --format json --set model=mpt-7b --set cluster=dgx-a100-80gb").out == preset.out);
    const RunResult wrong = run("estimate - --set micro_bach=3");
    CHECK(wrong.code == 2);
    CHECK(wrong.err.find("micro_batch") != std::string::npos);
}

TEST_CASE("estimate: unknown software is predicted as other software, from a file and from --set alike",
          "[cli]") {
    const RunResult set = run("estimate - --set cluster.software=megatorn-core");
    CHECK(set.code == 0);
    CHECK(set.out.find("The software “megatorn-core” is not known.") != std::string::npos);
    CHECK(set.out.find("Is “megatron-core” meant?") != std::string::npos);
    CHECK(run("estimate -", R"({"cluster": {"software": "megatorn-core"}})").out == set.out);
    // The name of a program stands for its stack.
    CHECK(run("estimate - --set software=megatron-lm").out ==
          run("estimate - --set software=megatron-core").out);
    const RunResult empty = run("estimate - --set software=");
    CHECK(empty.code == 2);
    CHECK(empty.err.find("is not one of its values") != std::string::npos);
}

TEST_CASE("estimate: a scenario that does not fit gets an answer, with times only on request", "[cli]") {
    const RunResult plain = run("estimate - --format json --set sequence_length=64k");
    CHECK(plain.code == 0);
    CHECK(json::parse(plain.out)["verdict"] == "does-not-fit");
    CHECK(json::parse(plain.out)["mfu"].is_null());
    CHECK(json::parse(run("estimate - --format json --hypothetical --set sequence_length=64k").out)["mfu"]
              .is_number());
}

TEST_CASE("estimate: JSON Lines keep their order, and a bad one becomes an invalid result in its place",
          "[cli]") {
    const RunResult several =
        run("estimate - --format json",
            "{\"name\":\"a\"}\n{\"name\":\"b\",\"model\":{\"layrs\":3}}\n{\"name\":\"c\"}\n");
    CHECK(several.code == 2);
    std::istringstream lines(several.out);
    std::string line;
    std::vector<json> results;
    while (std::getline(lines, line)) results.push_back(json::parse(line));
    REQUIRE(results.size() == 3);
    CHECK(results[0]["name"] == "a");
    CHECK(results[1]["verdict"] == "invalid");
    CHECK_FALSE(results[1]["reason"].get<std::string>().empty());
    CHECK(results[2]["name"] == "c");
    CHECK(several.err.find(":2:/model/layrs:") != std::string::npos);
}

TEST_CASE("estimate: all problems of a scenario are reported at once, and nothing is printed", "[cli]") {
    const RunResult bad =
        run("estimate -", R"({"training": {"micro_batch": -1, "sharding": "zero9"}, "x": 1})");
    CHECK(bad.code == 2);
    CHECK(bad.out.empty());
    CHECK(bad.err.find("-:/training/sharding:") != std::string::npos);
    CHECK(bad.err.find("-:/x:") != std::string::npos);
    CHECK(run("estimate /nonexistent.json").code == 2);
    CHECK(run("estimate").code == 2);
    CHECK(run("estimate - --format xml").code == 2);
    const RunResult unknown = run("estimat");
    CHECK(unknown.code == 2);
    CHECK(unknown.err.find("shardscope estimate") != std::string::npos);
    CHECK(run("/nonexistent.json").code == 2);
    for (const std::string& input :
         std::vector<std::string>{std::string(), std::string("{"), std::string("\0\0", 2),
                                  std::string("\xff\xfe"), std::string(200000, '[')}) {
        const RunResult ran = run("estimate -", input);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_FALSE(ran.err.empty());
    }
}

TEST_CASE("sweep: the CSV has a verdict column, and outputs are empty where the scenario does not fit",
          "[cli]") {
    const RunResult csv =
        run("sweep - --axis training.sequence_length=2048:65536:6:log --output mfu,memory.peak_bytes,wall");
    REQUIRE(csv.code == 0);
    std::istringstream lines(csv.out);
    std::string line;
    std::getline(lines, line);
    CHECK(line == "training.sequence_length,mfu,memory.peak_bytes,wall,verdict,reason");
    std::string last;
    int n = 0;
    while (std::getline(lines, line)) {
        last = line;
        ++n;
    }
    CHECK(n == 6);
    CHECK(last.starts_with("65536,,"));
    CHECK(last.ends_with("memory,does-not-fit,"));
}

TEST_CASE("sweep: a point equals an estimate with its values, and invalid points have the reason", "[cli]") {
    // Twice as many GPUs leave half a micro-batch: the given plan is not replaced by another.
    const std::string plan =
        R"({"cluster": {"gpus": 64}, "training": {"global_batch": 512, "micro_batch": 8}})";
    const RunResult csv = run("sweep - --axis micro_batch=4,8 --axis gpus=64,128 --output mfu", plan);
    REQUIRE(csv.code == 0);
    std::istringstream lines(csv.out);
    std::string line;
    std::getline(lines, line);
    int invalid = 0;
    while (std::getline(lines, line)) {
        const std::string micro_batch = line.substr(0, line.find(','));
        const std::string gpus = line.substr(micro_batch.size() + 1,
                                             line.find(',', micro_batch.size() + 1) - micro_batch.size() - 1);
        const RunResult one =
            run("estimate - --format json --set micro_batch=" + micro_batch + " --set gpus=" + gpus, plan);
        if (line.find(",invalid,") != std::string::npos) {
            ++invalid;
            CHECK(one.code == 2);
            const std::string reason = line.substr(line.find(",invalid,") + 9);
            INFO(reason);
            CHECK(reason.find("128 × 8") != std::string::npos);
        } else {
            CHECK(one.code == 0);
            const auto result = nlohmann::json::parse(one.out);
            CHECK(line.find(result["verdict"].get<std::string>()) != std::string::npos);
            const std::size_t at = micro_batch.size() + gpus.size() + 2;
            // A scenario that does not fit has no MFU.
            if (result["mfu"].is_null()) CHECK(line.substr(at, 1) == ",");
            else CHECK(std::stod(line.substr(at)) == Approx(result["mfu"].get<double>()).epsilon(1e-9));
        }
    }
    CHECK(invalid == 1);
}

TEST_CASE("sweep: shards concatenate to the whole, in CSV and JSON Lines", "[cli]") {
    const Folder folder;
    const std::string axes = "sweep - --axis gpus=8:1024:9:log --axis sharding=zero2,zero3,hsdp ";
    for (const char* ending : {".csv", ".jsonl"}) {
        REQUIRE(run(axes + "-o " + folder.file(std::string("whole") + ending)).code == 0);
        std::string joined;
        for (int part = 1; part <= 4; ++part) {
            const std::string file = folder.file("part" + std::to_string(part) + ending);
            REQUIRE(run(axes + "--shard " + std::to_string(part) + "/4 -o " + file).code == 0);
            joined += read_file(file);
        }
        CHECK(joined == read_file(folder.file(std::string("whole") + ending)));
    }
    CHECK(run(axes + "--shard 5/4").code == 2);
    CHECK(run(axes + "--output mfuu").err.find("mfu") != std::string::npos);
}

TEST_CASE("sweep: a refused output leaves no file", "[cli]") {
    const Folder folder;
    CHECK(run("sweep - --axis gpus=8,16 -o " + folder.file("x.txt")).code == 2);
    CHECK(folder.count() == 0);
}

TEST_CASE("an output that cannot be written is reported as such by every command, not as unusable input",
          "[cli]") {
    const Folder folder;
    const std::string place = " -o " + folder.file("no/such/place");
    for (const std::string& call :
         {"sweep - --axis gpus=8,16" + place + ".csv", "plan - --free micro_batch" + place,
          "plan - --free micro_batch --shard 1/2" + place,
          "plan - --over gpus=8,16 --free micro_batch" + place, "launch -" + place,
          "export -" + place + ".svg", "export - --report " + folder.file("no/such/place.html")}) {
        INFO(call);
        const RunResult ran = run(call);
        CHECK(ran.code == 1);
        CHECK(ran.err.find(folder.file("no/such/place")) != std::string::npos);
    }
    CHECK(folder.count() == 0);
}

TEST_CASE("presets: they are listed and shown with sources, and the nearest name is offered", "[cli]") {
    const RunResult list = run("presets list --kind gpu");
    CHECK(list.code == 0);
    CHECK(list.out.find("h100-sxm-80gb") != std::string::npos);
    CHECK(list.out.find("dgx-h100") == std::string::npos);
    CHECK(run("presets").code == 0);
    CHECK(run("presets show gaudi3-node").out.find("public runs: never compared") != std::string::npos);
    CHECK(run("presets show mi300x").out.find("public runs: no reliable time") != std::string::npos);
    CHECK(run("presets show deepseek-v3").out.find("public runs: compared") != std::string::npos);
    CHECK(run("presets show deepseek-v3").out.find("model.chosen_expert_groups") != std::string::npos);
    // OpenAI publishes 5.13 B and 3.61 B active parameters, which leave out 201,088 · 2,880 of the embedding.
    CHECK(run("presets show gpt-oss-120b")
              .out.find("active parameters: 5.712 B, 5.133 B without the input embedding\n") !=
          std::string::npos);
    CHECK(run("presets show gpt-oss-20b").out.find("4.187 B, 3.608 B without") != std::string::npos);
    CHECK(run("presets show llama-3-8b").out.find("active parameters") == std::string::npos);
    CHECK(run("presets show resnet-50").out.find("active parameters") == std::string::npos);
    const RunResult show = run("presets show h100-sxm-80gb");
    CHECK(show.out.find("public runs: compared") != std::string::npos);
    CHECK(show.out.find("79.1 GiB") != std::string::npos);
    CHECK(show.out.find("source:") != std::string::npos);
    const RunResult wrong = run("presets show h100-smx-80gb");
    CHECK(wrong.code == 2);
    CHECK(wrong.err.find("h100-sxm-80gb") != std::string::npos);
}

TEST_CASE("validate: JSON has rows, a summary, and the skipped runs with reasons", "[cli]") {
    const RunResult ran = run("validate --format json");
    REQUIRE(ran.code == 0);
    const json out = json::parse(ran.out);
    CHECK(out["summary"]["mosaic"]["n"] == 137);
    CHECK(out["summary"]["mosaic"]["mean_abs_error"].get<double>() < 0.12);
    CHECK(out["summary"]["ibm"]["mean_abs_error"].get<double>() < 0.12);
    CHECK(out["rows"][0].contains("predicted_step_s"));
    CHECK(out["rows"].size() + out["skipped"].size() == 2011);
    CHECK(out["rows"].size() > 1800);
    for (const json& skipped : out["skipped"])
        CHECK(skipped["reason"].get<std::string>().find("not modelled") == 0);
    CHECK(out["rows"][0]["predicted_allocated_bytes"].get<double>() <
          out["rows"][0]["predicted_reserved_bytes"].get<double>());
    CHECK(out["summary"]["all"]["median_abs_error"].get<double>() < 0.08);
    const Folder folder;
    const std::string table = folder.write("runs.csv", "gpu,gpus\nx,8\n");
    const RunResult bad = run("validate --runs " + table);
    CHECK(bad.code == 2);
    CHECK(bad.err.find("layers") != std::string::npos);
    CHECK(run("validate --runs /nonexistent.csv").code == 2);
}

TEST_CASE("export: every plot is written in every format, with the same bytes each time", "[cli]") {
    const Folder folder;
    for (const std::string& plot :
         std::vector<std::string>{"scaling", "walls", "memory", "waterfall", "sweep", "validation"}) {
        for (const std::string& ending : std::vector<std::string>{"svg", "pdf", "png", "csv"}) {
            INFO(plot << "." << ending);
            const std::string a = folder.file(plot + "." + ending);
            const std::string b = folder.file(plot + "-again." + ending);
            REQUIRE(run("export - --plot " + plot + " -o " + a).code == 0);
            REQUIRE(run("export - --plot " + plot + " -o " + b).code == 0);
            CHECK(fs::file_size(a) > 50);
            CHECK(read_file(a) == read_file(b));
        }
    }
    CHECK(run("export - --plot nonsense -o " + folder.file("x.svg")).code == 2);
    CHECK(run("export - -o " + folder.file("x.gif")).code == 2);
    CHECK(run("export - --size 5x5 -o " + folder.file("x.svg")).code == 2);
    CHECK_FALSE(fs::exists(folder.file("x.svg")));
}

TEST_CASE("export: a difference without a second scenario is refused, and nothing is written",
          "[cli][export]") {
    const Folder folder;
    const auto refused = [&](const std::string& options, const std::string& scenario) {
        INFO(options);
        const RunResult ran = run("export - " + options, scenario);
        CHECK(ran.code == 2);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
        CHECK(folder.count() == 0);
        return ran.err;
    };
    const std::string viewed = R"({"view": {"plot": "difference"}})";
    for (const char* ending : {"svg", "pdf", "png", "csv"}) {
        const std::string target = "-o " + folder.file(std::string("a.") + ending);
        for (const std::string& message :
             {refused("--plot difference " + target, "{}"), refused(target, viewed)}) {
            CHECK(message.find("--plot difference: there is no second scenario") == 0);
            CHECK(message.find("explain-gap") != std::string::npos);
        }
    }
    CHECK(refused("--plot difference --report " + folder.file("a.md"), "{}").find("no second scenario") !=
          std::string::npos);
    // Two scenarios of which one has no step time.
    const std::string unfit = R"({"training": {"micro_batch": 64}, "view": {"pins": [{}]}})";
    for (const std::string& file : {"-o " + folder.file("a.svg"), "--report " + folder.file("a.md")})
        CHECK(refused("--plot difference " + file, unfit).find("A does not fit") != std::string::npos);
    CHECK(run("export - --plot difference --hypothetical -o " + folder.file("a.svg"), unfit).code == 0);
    // A report leaves the plot out unless it was asked for.
    CHECK(run("export - --report " + folder.file("b.md"), viewed).code == 0);
    CHECK_FALSE(fs::exists(folder.file("b-figures/difference.svg")));
}

TEST_CASE("export: a PNG has the number of pixels that --scale sets", "[cli][export]") {
    const Folder folder;
    const std::string png = folder.file("a.png");
    // Reads width and height from the file's header.
    const auto size = [&](const std::string& options) {
        REQUIRE(run("export - --plot memory -o " + png + options).code == 0);
        const std::string bytes = read_file(png);
        const auto number = [&](std::size_t at) {
            int out = 0;
            for (std::size_t i = 0; i < 4; ++i)
                out = 256 * out + static_cast<unsigned char>(bytes.at(at + i));
            return out;
        };
        return std::pair{number(16), number(20)};
    };
    CHECK(size("") == std::pair{1920, 1200});
    CHECK(size(" --scale 1") == std::pair{960, 600});
    CHECK(size(" --scale 2") == std::pair{1920, 1200});
    CHECK(size(" --scale 4 --size 400x300") == std::pair{1600, 1200});

    const auto refused = [&](const std::string& options) {
        const RunResult ran = run("export - --plot memory " + options);
        CHECK(ran.code == 2);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
        return ran.err;
    };
    for (const char* scale : {"0.5", "5", "fine", "-1"})
        CHECK(refused(std::string("--scale=") + scale + " -o " + folder.file("b.png")).find("1 to 4") !=
              std::string::npos);
    for (const char* file : {"b.svg", "b.pdf", "b.csv"})
        CHECK(refused(std::string("--scale 2 -o ") + folder.file(file)).find("only a PNG") !=
              std::string::npos);
    CHECK(refused("--scale 2 --report " + folder.file("b.md")).find("only a PNG") != std::string::npos);
    CHECK(folder.count() == 1);
}

TEST_CASE("a failure to write the output is reported", "[cli]") {
    for (const char* arguments : {"estimate -", "parameters", "presets list", "validate"}) {
        INFO(arguments);
        const std::string command =
            std::string("echo '{}' | " SHARDSCOPE_PROGRAM " ") + arguments + " > /dev/full 2> /dev/null";
        const int status = std::system(command.c_str());
        CHECK(WEXITSTATUS(status) == 1);
    }
}

TEST_CASE("estimate: nesting that would exhaust the stack and lines that are no JSON are refused", "[cli]") {
    std::string deep = "{\"view\":";
    for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
    deep += "1" + std::string(100001, '}');
    const RunResult nested = run("estimate -", deep);
    CHECK(nested.code == 2);
    CHECK(nested.err.find("nested too deeply") != std::string::npos);
    const RunResult mixed = run("estimate - --format json", "{}\nxx\n{}\n");
    CHECK(mixed.code == 2);
    CHECK(std::count(mixed.out.begin(), mixed.out.end(), '\n') == 3);
    CHECK(mixed.err.find("-:2:") != std::string::npos);
}

TEST_CASE("sweep: a second axis of one parameter and too many points are refused", "[cli]") {
    CHECK(run("sweep - --axis gpus=8,16 --axis gpus=32,64").err.find("axis already") != std::string::npos);
    CHECK(run("sweep - --axis memory=1e10:1e12:1000000 --axis memory_bandwidth=1e12:2e12:1000000").code == 2);
}

TEST_CASE("estimate: a model may be a list of operators, from a preset or the user's own", "[cli][listed]") {
    const RunResult resnet = run("estimate - --format json --operators",
                                 R"({"model": {"preset": "resnet-50"}, "training": {"sharding": "ddp"}})");
    REQUIRE(resnet.code == 0);
    const json result = json::parse(resnet.out);
    CHECK(result["parameters"] == 25557032);
    CHECK(result["training_days"].is_null());
    CHECK(result["operators"][0]["kind"] == "convolution");
    const RunResult refused = run("estimate - --set model.preset=resnet-50 --set tensor_parallel=2");
    CHECK(refused.code == 2);
    CHECK(refused.err.find("the model is a list of operators") != std::string::npos);
    const RunResult own = run("estimate - --format json", R"({"model": {"operators": [{"repeat": 2,
        "operators": [{"kind": "gemm", "in": 10, "out": 20}]}]}, "cluster": {"gpus": 1}})");
    REQUIRE(own.code == 0);
    CHECK(json::parse(own.out)["parameters"] == 400);
    CHECK(run("presets show resnet-50").out.find("stage 4") != std::string::npos);
}

TEST_CASE("a list of operators: convolutions need an image size, and a model without matrices has a timeline",
          "[cli][listed]") {
    const RunResult missing = run("estimate -", R"({"model": {"operators": [{"operators": [
        {"kind": "convolution", "reduction": 2, "in": 64, "out": 64}]}]}})");
    CHECK(missing.code == 2);
    CHECK(missing.err.find("/model/image_size") != std::string::npos);
    const Folder folder;
    const std::string norms = folder.write("norms.json", R"({"model": {"operators": [{"operators": [
        {"kind": "norm", "width": 1}]}]}})");
    CHECK(run("export " + norms + " --plot timeline -o " + folder.file("a.csv")).code == 0);
    CHECK_FALSE(read_file(folder.file("a.csv")).empty());
}

TEST_CASE("the pins of a view are checked, too", "[cli]") {
    const RunResult ran = run("export - -o /dev/null", R"({"view": {"plot": "scaling", "pins": [
        {"name": "bad", "training": {"pipeline_parallel": 3}}]}})");
    CHECK(ran.code == 2);
    CHECK(ran.err.find("/view/pins/0/") != std::string::npos);
}

TEST_CASE("export: the collectives plot takes a log, and a file that is no log is refused", "[cli]") {
    const Folder folder;
    const std::string log = SHARDSCOPE_SOURCE_DIR "/tests/fuzz/corpus/nccl/nodes.log";
    const RunResult good =
        run("export - --plot collectives --collectives " + log + " -o " + folder.file("a.csv"));
    CHECK(good.code == 0);
    CHECK(read_file(folder.file("a.csv")).find("nodes.log") != std::string::npos);
    const std::string none = folder.write("none.log", "nothing");
    const RunResult bad =
        run("export - --plot collectives --collectives " + none + " -o " + folder.file("b.csv"));
    CHECK(bad.code == 2);
    CHECK(bad.err.find("not an nccl-tests log") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("b.csv")));
}

TEST_CASE("export: a view's switches have the same effect as in the window", "[cli][export]") {
    const Folder folder;
    folder.write("all.json", R"({"view": {"plot": "scaling"}})");
    folder.write("some.json", R"({"view": {"plot": "scaling", "switched": ["strong"]}})");
    folder.write("tenth.json", R"({"view": {"plot": "sensitivity", "switched": ["ten_percent"]}})");
    folder.write("half.json", R"({"view": {"plot": "sensitivity"}})");
    const auto csv = [&](const std::string& name) {
        const std::string out = folder.file(name + ".csv");
        REQUIRE(run("export " + folder.file(name + ".json") + " -o " + out).code == 0);
        return read_file(out);
    };
    CHECK(csv("all").find("mfu_strong") != std::string::npos);
    CHECK(csv("some").find("mfu_strong") == std::string::npos);
    CHECK(csv("tenth") != csv("half"));
}

TEST_CASE("export: a report's format follows from its ending, with the same bytes every time",
          "[cli][export]") {
    const Folder folder;
    for (const char* ending : {"html", "pdf", "md"}) {
        INFO(ending);
        const std::string name = std::string("report.") + ending;
        const RunResult ran = run("export - --report " + folder.file(name));
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        const std::string once = read_file(folder.file(name));
        REQUIRE(once.size() > 10'000);
        REQUIRE(run("export - --report " + folder.file(name)).code == 0);
        CHECK(read_file(folder.file(name)) == once);
    }
    CHECK(read_file(folder.file("report.html")).find("MPT-13B on 64 H100") != std::string::npos);
    CHECK(read_file(folder.file("report-figures/scaling.svg")).find("<svg") != std::string::npos);
    const RunResult ending = run("export - --report " + folder.file("report.docx"));
    CHECK(ending.code == 2);
    CHECK(ending.err.find(".html, .pdf or .md") != std::string::npos);
    const RunResult nowhere = run("export - --report " + folder.file("missing/report.html"));
    CHECK(nowhere.code == 1);
    CHECK(nowhere.err.find("missing/report.html") != std::string::npos);
}

TEST_CASE("export: a PDF has the same bytes in every time zone, and its table of objects is correct",
          "[cli][export]") {
    const Folder folder;
    const char* before = std::getenv("TZ");
    const std::string kept = before ? before : "";
    const auto export_in = [&](const char* zone) {
        ::setenv("TZ", zone, 1);
        REQUIRE(run("export - --plot memory -o " + folder.file("f.pdf") + " --report " + folder.file("r.pdf"))
                    .code == 0);
        return std::array{read_file(folder.file("f.pdf")), read_file(folder.file("r.pdf"))};
    };
    const auto usual = export_in("UTC");
    // The last zone needs no time zone database.
    for (const char* zone : {"Asia/Tokyo", "America/New_York", "NPT-5:45"}) {
        INFO(zone);
        CHECK(export_in(zone) == usual);
    }
    if (before) ::setenv("TZ", kept.c_str(), 1);
    else ::unsetenv("TZ");

    for (const std::string& pdf : usual) {
        CHECK(pdf.find("/CreationDate (D:20000101000000Z)\n") != std::string::npos);
        const auto table = std::stoul(pdf.substr(pdf.rfind("startxref\n") + 10));
        REQUIRE(pdf.compare(table, 7, "xref\n0 ") == 0);
        const auto objects = std::stoul(pdf.substr(table + 7));
        REQUIRE(objects > 10);
        const auto entries = pdf.find('\n', table + 5) + 1;
        for (std::size_t i = 1; i < objects; ++i) {
            const auto offset = std::stoul(pdf.substr(entries + 20 * i, 10));
            const std::string head = std::to_string(i) + " 0 obj\n";
            CHECK(pdf.compare(offset, head.size(), head) == 0);
        }
    }
}

TEST_CASE("export: a report contains the requested plots, and is written completely or not at all",
          "[cli][export]") {
    const Folder folder;
    const RunResult plot = run("export - --plot nosuch --report " + folder.file("a.md"));
    CHECK(plot.code == 2);
    CHECK(plot.err.find("there is no such plot") != std::string::npos);
    const RunResult axis = run("export - --axis micro_batch=1,2,4 --report " + folder.file("a.md"));
    CHECK(axis.code == 2);
    CHECK(axis.err.find("--plot sweep") != std::string::npos);
    CHECK(run("export - --plot sweep --axis micro_batch=1,2,4 --report " + folder.file("b.md")).code == 0);
    CHECK(run("export - --report " + folder.file("c.md")).code == 0);
    CHECK(read_file(folder.file("b-figures/sweep.svg")) != read_file(folder.file("c-figures/sweep.svg")));
    // If a figure cannot be written, there is no report.
    fs::create_directories(folder.file("d-figures/walls.svg"));
    CHECK(run("export - --report " + folder.file("d.md")).code == 2);
    CHECK_FALSE(fs::exists(folder.file("d.md")));
    // A figure does not overwrite a file that is not of a report.
    folder.write("e-figures/scaling.svg", "mine");
    const RunResult occupied = run("export - --report " + folder.file("e.md"));
    CHECK(occupied.code == 2);
    CHECK(occupied.err.find(folder.file("e-figures/scaling.svg")) != std::string::npos);
    CHECK(occupied.err.find("another name") != std::string::npos);
    CHECK(read_file(folder.file("e-figures/scaling.svg")) == "mine");
    CHECK_FALSE(fs::exists(folder.file("e.md")));
}

TEST_CASE("a number that is not one of the choices is refused", "[cli]") {
    const RunResult ran = run("estimate -", R"({"training": {"sharding": 1.5}})");
    CHECK(ran.code == 2);
    CHECK(ran.err.find("zero1") != std::string::npos);
}
