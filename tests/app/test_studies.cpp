// Tests studies on the command line.
#include <algorithm>

#include "support/shell.h"

using namespace shardscope::testing;

namespace {

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("presets: studies are listed, and shown with the engine's findings on their claims", "[studies]") {
    const RunResult list = run("presets --kind study");
    CHECK(list.code == 0);
    CHECK(list.out.find("scaling-trends") != std::string::npos);
    CHECK(lines(list.out) >= 12);
    const RunResult shown = run("presets show scaling-trends");
    CHECK(shown.code == 0);
    for (const char* words :
         {"after Fernandez et al. 2024, arXiv 2411.13055, reconstructed",
          "look at: ", "drag: ", "published: ", "stated −37.2 %, the engine ", "): agrees", "our question: "})
        CHECK(shown.out.find(words) != std::string::npos);
    CHECK(run("presets list --format markdown").code == 2);
    const RunResult none = run("presets show scaling-trend");
    CHECK(none.code == 2);
    CHECK(none.err.find("did you mean “scaling-trends”?") != std::string::npos);
}

TEST_CASE("the name of a study or a scenario preset can be given in place of a file", "[studies]") {
    const RunResult study = run("estimate scaling-trends --format json");
    CHECK(study.code == 0);
    CHECK(study.out.find("\"name\":\"Llama 2 7B, FSDP on 2,048 H100\"") != std::string::npos);
    const RunResult changed = run("estimate scaling-trends --set cluster.gpus=128 --format json");
    CHECK(changed.code == 0);
    CHECK(changed.out != study.out);
    CHECK(run("estimate network-bound-13b").code == 0);
    // A file with that name is preferred.
    const Folder folder;
    folder.write("scaling-trends", R"({"name": "mine"})");
    CHECK(run_in(folder, "estimate scaling-trends --format json").code == 0);
    CHECK(read_file(folder.file("out")).find("\"name\":\"mine\"") != std::string::npos);
    CHECK(run("estimate no-such-name").code == 2);
}

TEST_CASE("a user's scenario preset finds the presets beside its file", "[studies]") {
    const Folder folder;
    folder.write("shardscope/presets/mine.json", R"({"format": "shardscope-preset", "version": 1,
        "kind": "cluster", "name": "mine", "values": {"gpu": "h100-sxm-80gb"}})");
    folder.write("shardscope/presets/job.json", R"({"format": "shardscope-scenario", "version": 1,
        "name": "My job", "cluster": {"preset": "mine.json", "gpus": 16}})");
    for (const char* call : {"estimate job", "sweep job --axis gpus=8,16"}) {
        INFO(call);
        const RunResult ran = run_in(folder, call);
        CHECK(ran.err.empty());
        CHECK(ran.code == 0);
    }
    // A user's figure also finds them from any folder.
    folder.write("runs/beside.json", read_file(folder.file("shardscope/presets/mine.json")));
    folder.write("runs/run.json", R"({"cluster": {"preset": "beside.json"}})");
    REQUIRE(run_in(folder, "export runs/run.json -o runs/fig.svg").code == 0);
    CHECK(read_file(folder.file("runs/fig.svg")).find("/runs/beside.json") != std::string::npos);
}

TEST_CASE("export: a study's name gives its plot with its axes and pins", "[studies]") {
    const Folder folder;
    const std::string csv = folder.file("s.csv");
    REQUIRE(run("export scaling-trends -o " + csv).code == 0);
    const std::string table = read_file(csv);
    CHECK(table.find("scenario,cluster.gpus[1],tokens_per_s_per_gpu[tokens/s],power_per_gpu_w[W],"
                     "tokens_per_joule[tokens/J],verdict\nA,8,") == 0);
    CHECK(table.find("\nA,2048,") != std::string::npos);
    CHECK(table.find("\nB,2048,") != std::string::npos);
    CHECK(table.find("\nC,2048,") != std::string::npos);
    const std::string svg = folder.file("s.svg");
    REQUIRE(run("export scaling-trends -o " + svg).code == 0);
    CHECK(read_file(svg).find("Pinned: B, the same on A100; C, HSDP within the node.") != std::string::npos);
    // The figure contains the study, so its scenario gives the same figure again.
    const std::string again = folder.file("again.svg");
    REQUIRE(run("export scaling-trends --plot sweep -o " + again).code == 0);
    CHECK(read_file(again) == read_file(svg));
    // Options choose another plot and other axes.
    REQUIRE(run("export scaling-trends --plot scaling --output tokens_per_s_per_gpu -o " + csv).code == 0);
    CHECK(read_file(csv).find("scenario,gpus[1],") == 0);
    REQUIRE(run("export scaling-trends --axis micro_batch=1,2 --output mfu -o " + csv).code == 0);
    CHECK(read_file(csv).find("scenario,training.micro_batch[1],mfu[%],verdict\nA,1,") == 0);
}

TEST_CASE("export: a sweep against a result and pins side by side are written", "[studies]") {
    const Folder folder;
    const std::string csv = folder.file("s.csv");
    REQUIRE(run("export fsdp-product -o " + csv).code == 0);
    CHECK(read_file(csv).find("scenario,cluster.gpu.memory[GiB],cluster.inter_node_bandwidth[Gbit/s],"
                              "ideal.mfu_bound[%],mfu[%],plan,verdict\nA,16,2.5,") == 0);
    // Side by side, each pin has its own family of curves.
    CHECK(read_file(csv).find("\nC,16,40,") != std::string::npos);
    REQUIRE(run("export characterization-model-parallel -o " + folder.file("m.svg")).code == 0);
    const std::string svg = read_file(folder.file("m.svg"));
    for (const char* name : {">DGX A100, TP 2 × PP 8<", ">Polaris, TP 8 × PP 2<"})
        CHECK(svg.find(name) != std::string::npos);

    REQUIRE(run("export scaling-trends --against mfu --output tokens_per_s -o " + csv).code == 0);
    CHECK(read_file(csv).find("scenario,cluster.gpus[1],mfu[%],tokens_per_s[tokens/s],verdict\nA,8,") == 0);
    const std::string over = folder.file("over.svg");
    const std::string beside = folder.file("beside.svg");
    REQUIRE(run("export scaling-trends -o " + over).code == 0);
    REQUIRE(run("export scaling-trends --side-by-side -o " + beside).code == 0);
    CHECK(read_file(over).find(">the same on A100<") == std::string::npos);
    CHECK(read_file(beside).find(">the same on A100<") != std::string::npos);
    const RunResult bad = run("export - --plot sweep --against mfuu -o " + csv);
    CHECK(bad.code == 2);
    CHECK(bad.err.find("--against mfuu: there is no such output; did you mean “mfu”?") != std::string::npos);
}

TEST_CASE("a user's study is listed, and an invalid one gives a warning", "[studies]") {
    const Folder folder;
    std::string text = read_file(SHARDSCOPE_SOURCE_DIR "/presets/studies/scaling-trends.json");
    const auto replace = [&](const std::string& from, const std::string& to) {
        REQUIRE(text.find(from) != std::string::npos);
        text.replace(text.find(from), from.size(), to);
    };
    replace("\"name\": \"scaling-trends\"", "\"name\": \"mine\"");
    folder.write("shardscope/presets/mine.json", text);
    const RunResult list = run_in(folder, "presets list --kind study");
    CHECK(read_file(folder.file("out")).find("mine ") != std::string::npos);
    CHECK(read_file(folder.file("err")).empty());
    replace("\"measure\": \"relative-change\"", "\"measure\": \"change\"");
    folder.write("shardscope/presets/mine.json", text);
    run_in(folder, "presets list --kind study");
    CHECK(read_file(folder.file("err")).find("/claims/0/measure: “change” is not a measure") !=
          std::string::npos);
    // As a file it is refused with the same words.
    const RunResult refused = run_in(folder, "estimate shardscope/presets/mine.json");
    CHECK(refused.code == 2);
}

TEST_CASE("presets: an unusable study is reported, and nothing is printed", "[cli]") {
    const Folder folder;
    folder.write("shardscope/presets/mine.json",
                 R"({"format": "shardscope-preset", "version": 1, "kind": "study",
        "name": "mine", "title": "Mine", "source": "mine", "claims": [1]})");
    for (const char* command : {"presets show mine", "presets list --kind study --format markdown"}) {
        const RunResult ran = run_in(folder, command);
        INFO(command);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err.find("/claims/0") != std::string::npos);
    }
}
