// Tests what the reader of shell scripts expands as bash does, and what it refuses or names by its line.
#include <algorithm>
#include <catch2/catch.hpp>

#include "launch/megatron_options.h"
#include "support/launch_reading.h"
#include "support/shell_commands.h"

using namespace shardscope;
using namespace shardscope::testing;
using launch::Command;

namespace {

// A script whose training command, in the line after `before`, has these words at its end.
std::string script(const std::string& before, const std::string& words) {
    return before +
           "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
           "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 "
           "--vocab-size 32000 --global-batch-size 128 --bf16 " +
           words + "\n";
}

Settings settings_of(const std::string& before, const std::string& words) {
    return resolve(read(kMegatron, script(before, words)).scenario);
}

// Requires that the script is refused for one expression; returns its line.
int refused_line(const std::string& before, const std::string& words, const std::string& expression) {
    const Problems problems = problems_of(kMegatron, script(before, words));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().what.find(expression) != std::string::npos);
    return problems.front().line;
}

}  // namespace

// Source: GNU Bash manual 5.2, "Arrays" and "Shell Parameter Expansion".
TEST_CASE("shell: elements of arrays are those of bash", "[launch]") {
    const std::string list = "A=(1 2 'x y')\nI=1\n";
    CHECK(last(list + "run ${A[1]} ${A[$I]} ${A[I-1]} \"${A[I-2]}\" ${A[7]} end\n") ==
          Words{"run", "2", "2", "1", "x y", "end"});
    // Without an index an array is its first element.
    CHECK(last(list + "run $A ${A} \"$A\"\n") == Words{"run", "1", "1", "1"});
    CHECK(last(list + "run \"${A[@]}\" \"${A[*]}\" ${A[*]}\n") ==
          Words{"run", "1", "2", "x y", "1 2 x y", "1", "2", "x", "y"});
    // An assignment does not split its value.
    CHECK(last(list + "B=\"--a ${A[@]}\"\nB+=z\nrun \"$B\"\n") == Words{"run", "--a 1 2 x yz"});
    CHECK(last(list + "A[1]=5\nrun ${A[1]}\n") == Words{"run", "? ${A[1]}"});
    CHECK(settings_of("A=(1 2 4)\n", "--tensor-model-parallel-size ${A[1]}")[P::tensor_parallel] == 2);
}

TEST_CASE("shell: a default and its opposite are those of bash", "[launch]") {
    const std::string set = "S=1\nE=\n";
    CHECK(last(set + "run ${S:+--a 2} ${E:+--b} ${U:+--c} end\n") ==
          Words{"run", "--a", "2", "? ${U:+--c}", "end"});
    CHECK(last(set + "run ${S:-3} ${E:-4} ${U:-${S:-5}} ${U:-$V} ${U:-\"$S x\"}\n") ==
          Words{"run", "1", "4", "1", "? ${U:-$V}", "1", "x"});
    const std::string tensor = "--tensor-model-parallel-size 2 ";
    CHECK(settings_of("SP=1\n", tensor + "${SP:+--sequence-parallel}").on(P::sequence_parallel));
    CHECK_FALSE(settings_of("SP=\n", tensor + "${SP:+--sequence-parallel}").on(P::sequence_parallel));
}

TEST_CASE("launch: a form of expansion that is not read is refused by its line", "[launch]") {
    const std::string list = "A=(--tensor-model-parallel-size 2 --sequence-parallel)\n";
    CHECK(refused_line(list, "${A[@]:0:2}", "${A[@]:0:2}") == 2);
    CHECK(refused_line("X=\"--tensor-model-parallel-size 2\"\n", "${X/2/4}", "${X/2/4}") == 2);
    CHECK(refused_line("B=\"x ${X%%y}\"\n", "$B", "${X%%y}") == 1);
    CHECK(refused_line("X=82\n", "--tensor-model-parallel-size ${X%2}", "${X%2}") == 2);
    CHECK(refused_line("X=2\n", "${X/${X}/4}", "${X/${X}/4}") == 2);
    // A path that no setting depends on is not refused.
    CHECK(settings_of("D=out/\n", "--save ${D%/} --tensor-model-parallel-size 2")[P::tensor_parallel] == 2);
}

TEST_CASE("launch: functions of subshells are refused by their line", "[launch]") {
    CHECK(refused_line("TP=2\nf() ( TP=4 )\n", "--tensor-model-parallel-size $TP", "f") == 2);
    CHECK(refused_line("TP=2\n\n(\n  f() { TP=4; }\n  f\n)\n", "--tensor-model-parallel-size $TP", "f") == 4);
}

TEST_CASE("launch: words of unknown value that may contain options are named by their line", "[launch]") {
    const auto notes = [](const std::string& before, const std::string& words) {
        return read(kMegatron, script(before, words)).notes;
    };
    const auto is_named = [&](const std::string& before, const std::string& words,
                              const std::string& expression, int line) {
        return has_note(notes(before, words), "The options in " + expression + " are not known (line " +
                                                  std::to_string(line) + ").");
    };
    CHECK(is_named("", "$EXTRA_ARGS", "$EXTRA_ARGS", 1));
    CHECK(is_named("\n", "--no-load-optim $MORE", "$MORE", 2));
    CHECK(is_named("", "--distributed-backend nccl $MORE", "$MORE", 1));
    CHECK(is_named("", "\"$@\"", "$@", 1));
    CHECK(is_named("", "--log-throughput \"${OPTIONS[@]}\"", "${OPTIONS[@]}", 1));
    CHECK(is_named("", "$(cat args.txt)", "$(cat args.txt)", 1));
    CHECK(is_named("\nB=`f`\n", "$B", "`f`", 2));
    // The value of an option, the file of the output and an empty variable contain no options.
    for (const char* words : {"--save $DIR", "--log-interval ${N}", "> $LOG 2>&1", "$EMPTY"}) {
        INFO(words);
        CHECK_FALSE(has_note(notes("EMPTY=\n", words), "are not known (line"));
    }
}

TEST_CASE("shell: the arguments that a script sets itself are known", "[launch]") {
    CHECK(last("set -- --a 'b c'\nrun \"$@\" $1 $3 end\n") == Words{"run", "--a", "b c", "--a", "end"});
    CHECK(last("set -- 1 2\nshift\nrun $1 ${1}\n") == Words{"run", "2", "2"});
    CHECK(last("set -- 1 2\nshift 2\nrun $1\n") == Words{"run", "? $1"});
    CHECK(last("set -eux\nrun $1\n") == Words{"run", "? $1"});
    CHECK(settings_of("set -- --tensor-model-parallel-size 4\n", "$@")[P::tensor_parallel] == 4);
}

TEST_CASE("shell: the body of a function is read where the script calls it", "[launch]") {
    CHECK(last("f() { G=64; }\nG=32\nf\nrun $G\n") == Words{"run", "64"});
    CHECK(last("function f {\n  G=64\n}\nG=32\nrun $G\n") == Words{"run", "32"});
    CHECK(last("G=1\nf () {\n  if [ $1 = a ]; then G=$2; fi\n}\nf b 2\nf a 3\nrun $G \"$@\"\n") ==
          Words{"run", "3", "? $@"});
    CHECK(last("f() {\n  local T=$1\n  run $T\n}\nf 8\n") == Words{"run", "8"});
    // A call that depends on an unknown value sets nothing, and its line is named.
    Problems problems;
    const auto guarded =
        launch::read_shell_script("f() { G=64; }\nG=32\nif [ $U ]; then f; fi\nrun $G\n", problems);
    CHECK(guarded.commands.back().back().text == "32");
    CHECK(guarded.unread == std::vector<int>{3});
    // A function that calls itself ends.
    CHECK(last("f() { G=64; f; }\nf\nrun $G\n") == Words{"run", "64"});
    // A local variable is that of the function.
    CHECK(last("G=32\nf() { local G=64 H=1; run $G; }\nf\nrun $G ${H:-2}\n") == Words{"run", "32", "2"});
    // So is one of a subshell.
    CHECK(last("G=32\n(G=64; (G=65); H=1; run $G)\n") == Words{"run", "64"});
    CHECK(last("G=32\n(cd x && G=64)\n(G=65) && H=1\nrun $G\n") == Words{"run", "32"});
    // Braces that belong to no function only group commands.
    CHECK(last("G=1\n[ $G = 2 ] && { G=3; H=4; }\n{ K=5; }\nrun $G $K\n") == Words{"run", "1", "5"});
}

TEST_CASE("shell: a here-document is read only if a shell runs it", "[launch]") {
    const std::string text = "TP=8\nrun --inner\n";
    const auto after = [&](const std::string& line) {
        return commands("TP=2\n" + line + "\n" + text + "EOF\nrun $TP\n");
    };
    for (const char* line : {"cat > other.sh <<EOF", ": <<'EOF'", "cat <<EOF >> notes.txt"}) {
        INFO(line);
        const std::vector<Command> found = after(line);
        CHECK(found.size() == 2);
        CHECK(found.back().back().text == "2");
    }
    // The variables of another shell are its own.
    for (const char* line : {"sbatch <<EOF", "bash -s <<'EOF'", "srun -N 2 /bin/sh <<EOF",
                             "cat <<EOF | sbatch --nodes=2", "cat > job.sh <<EOF && bash job.sh"}) {
        INFO(line);
        const std::vector<Command> found = after(line);
        REQUIRE(found.size() >= 3);
        CHECK(std::ranges::any_of(found,
                                  [](const Command& command) { return command.back().text == "--inner"; }));
        CHECK(found.back().back().text == "2");
    }
    // A file is read where it is run.
    CHECK(last("cat > job.sh <<EOF\n" + text + "EOF\nsbatch -N 2 ./job.sh\n") == Words{"run", "--inner"});
    CHECK(last("cat > job.sh <<EOF\n" + text + "EOF\nchmod +x job.sh\n./job.sh\n") ==
          Words{"run", "--inner"});
    CHECK(last("bash -c 'G=2'\nrun $G\n") == Words{"run", "? $G"});
    CHECK(settings_of("TP=2\ncat > other.sh <<EOF\nTP=8\nEOF\n",
                      "--tensor-model-parallel-size $TP")[P::tensor_parallel] == 2);
}

TEST_CASE("shell: a command that sets a variable to a value that is not read makes it unknown", "[launch]") {
    for (const char* command :
         {"((A*=2))", "(( A++ ))", "read -r A", "let A=4", "unset A", "for A in 1 2; do true; done", "A[0]=4",
          "eval A=4", "eval \"B=1; export A=4\"", "printf -v A 4"}) {
        INFO(command);
        CHECK(last("A=1\n" + std::string(command) + "\nrun $A\n") == Words{"run", "? $A"});
    }
    CHECK(last("A=1\nB=2\n(( A == 1 )) && B=3\nrun $A $B\n") == Words{"run", "1", "2"});
    for (const char* word : {"declare", "declare -i", "readonly", "local", "typeset -x", "export"}) {
        INFO(word);
        CHECK(last("A=1\n" + std::string(word) + " A=4\nrun $A\n") == Words{"run", "4"});
    }
    CHECK(last("A=1\nexport A=2 B\nrun $A\n") == Words{"run", "2"});
    CHECK(last("A=1\nA=2 B=3 true\nrun $A ${B:-4}\n") == Words{"run", "1", "4"});
    CHECK(last("A=1\nA=2 bash -c 'run $A'\n") == Words{"run", "2"});
    CHECK(last("A=1\nfalse && A=2\ntrue || A=3\ntrue && B=4\nrun $A $B\n") == Words{"run", "1", "4"});
    CHECK(last("IFS=$'\\n'\nrun $'a b' c\n") == Words{"run", "a b", "c"});
    CHECK(last("A=1\nrun $A'b' $A\"c\"\n") == Words{"run", "1b", "1c"});
    // Marks of unknown values that double are counted as text is.
    std::string doubling = "A=$U\n";
    for (int i = 0; i < 40; ++i) doubling += "A=$A$A\n";
    Problems problems;
    launch::read_shell_script(doubling, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().what == "the script is too long");
    std::string sums = "A=${A:-1}\n";
    for (int i = 0; i < 40; ++i) sums += "A=$((A + A))\n";
    CHECK(last(sums + "run $A\n") == Words{"run", "1099511627776"});
    // A quote that is open at the end of the script is refused, whatever it contains.
    problems.clear();
    launch::read_shell_script("run\n'{", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().line == 2);
    // Arguments without a program are no options of the shell.
    CHECK(last("--one 1\n") == Words{"--one", "1"});
}

TEST_CASE("shell: nothing is read after an exit or return that certainly runs", "[launch]") {
    for (const char* end :
         {"exit", "exit 0", "return 1", "X=1; exit", "if [ $A = 1 ]; then exit; fi", "[ $A = 1 ] && exit",
          "[ $A = 2 ] || { echo; exit; }", "stop() { exit 1; }\nstop", "sleep 1 &\nexit",
          "if [ $A = 1 ] && [ $A = 1 ]; then exit; fi", "[ $A = 1 ] &&\n\n  exit", "exec run $A"}) {
        INFO(end);
        CHECK(last("A=1\nrun $A\n" + std::string(end) + "\nA=2\nother 'open\n").front() != "other");
        CHECK(commands("A=1\n" + std::string(end) + "\nrun --last\n").back().back().text != "--last");
    }
    // One that may not run, or that ends only a function, a subshell or another shell, does not end the
    // script.
    for (const char* other : {"if [ $U = 1 ]; then exit; fi",
                              "[ $A = 2 ] && exit",
                              "[ $U ] || exit 1",
                              "cd x || exit 1",
                              "cd x || G=3",
                              "cd x || { G=3; }",
                              "exec >log",
                              "[ $A = 2 ] && cd x && G=3",
                              "[ $A = 2 ] && cd x || G=2",
                              "cd x ||\n  exit 1",
                              "[ $A = 2 ] && # no\n  exit",
                              "for i in 1; do true; done || exit 1",
                              "if [ $U ]; then true; fi || exit 1",
                              "[ $A = 2 ] &&\n G=3",
                              "D=$(cd x) || exit 1",
                              "cd x || { echo; exit 1; }",
                              "cd x && [ $A = 1 ] && exit",
                              "die() { echo $1; exit 1; }\ncd x || die a",
                              "stop() { return; G=3; }\nstop",
                              "(exit 1)",
                              "exit 1 | cat",
                              "bash -c 'exit 1'",
                              "while true; do exit; done",
                              "case $U in a) exit ;; esac",
                              "usage() {\n  exit 1\n}",
                              "bash <<EOF\nexit 1\nEOF",
                              "echo exit",
                              "trap 'exit 1' ERR",
                              "select i in a; do exit; done"}) {
        INFO(other);
        CHECK(last("A=1\nG=2\n" + std::string(other) + "\nrun $G\n") == Words{"run", "2"});
    }
    // The command itself may follow ||.
    CHECK(last("G=2\ncd x || run $G\n") == Words{"run", "2"});
}

TEST_CASE("launch: a sourced file that may set variables of the command is named by its line", "[launch]") {
    const auto notes = [](const std::string& before, const std::string& words) {
        return read(kMegatron, script(before, "--tensor-model-parallel-size " + words)).notes;
    };
    const auto named = [&](const std::string& before, const std::string& words, const std::string& lines) {
        return has_note(notes(before, words), "the file of the source command in line " + lines + ".");
    };
    CHECK(named("TP=2\nsource env.sh\n", "$TP", "2"));
    CHECK(named("TP=2\n. ./env.sh\nT=$TP\n", "$T", "2"));
    CHECK(named("TP=2\n[ -f env.sh ] && . ./env.sh\n", "$((TP))", "2"));
    CHECK(named("TP=2\nset -a; source a.sh\nsource b.sh\n", "${TP}", "2, 3"));
    CHECK(named("f() { local N=1; source env.sh; }\nTP=2\nf\n", "$TP", "1"));
    CHECK(named("source env.sh\n", "${TP:-2}", "1"));
    CHECK(named("source env.sh\nTP+=2\n", "$TP", "1"));
    CHECK(named("TP=2\nsource env.sh\nif [ $TP = 2 ]; then T=4; fi\n", "$T", "2"));
    // A variable that the script sets afterwards, or that the file can not change, has its value.
    for (const char* before :
         {"source env.sh\nTP=2\n", "TP=1\nsource env.sh\nTP=2\n", "TP=2\nbash -c 'source env.sh'\n",
          "TP=2\necho source env.sh\n", "TP=2\nif [ $TP = 1 ]; then source env.sh; fi\n",
          "#SBATCH --nodes=2\nsource env.sh\nTP=$SLURM_NNODES\n"}) {
        INFO(before);
        CHECK_FALSE(has_note(notes(before, "$TP"), "source command"));
        CHECK(settings_of(before, "--tensor-model-parallel-size $TP")[P::tensor_parallel] == 2);
    }
    CHECK_FALSE(has_note(notes("TP=2\nsource env.sh\n", "4"), "source command"));
    CHECK(refused_line("source env.sh\n", "--tensor-model-parallel-size $TP", "$TP") == 2);
    // A file that the script writes is read.
    const std::string written = "TP=1\ncat > env.sh <<EOF\nexport TP=2\nreturn\nTP=4\nEOF\nsource env.sh\n";
    CHECK(settings_of(written, "--tensor-model-parallel-size $TP")[P::tensor_parallel] == 2);
    CHECK_FALSE(has_note(notes(written, "$TP"), "source command"));
}

TEST_CASE("shell: the default of a variable counts in arithmetic, and is marked as a default", "[launch]") {
    const std::string sizes = "GPUS=${GPUS:-8}\nNODES=${SLURM_NNODES:-\"2\"}\n";
    const std::vector<Command> found = commands(
        sizes + "W=$((GPUS*NODES))\nrun $W $((${GPUS} / 4)) $(( ${U:-3} + 1 )) $((2 * ($GPUS - 1)))\n");
    const Command& run = found.back();
    REQUIRE(run.size() == 5);
    CHECK(run[1].text == "16");
    CHECK(run[2].text == "2");
    CHECK(run[3].text == "4");
    CHECK(run[4].text == "14");
    REQUIRE(run[1].from_shell.size() == 2);
    CHECK(run[1].from_shell[0].expression == "${GPUS:-8}");
    CHECK(run[1].from_shell[1].line == 2);
    CHECK(run[1].from_shell[1].has_default);
    CHECK(last("A=${B:-$U}\nrun $((A*4))\n") == Words{"run", "? $((A*4))"});
    const Settings read_back =
        settings_of("A=${A:-8}\nG=$((A*4))\n", "--pipeline-model-parallel-size 2 --train-iters $G");
    // 32 steps of 128 samples of 4,096 tokens.
    CHECK(read_back[P::training_tokens] == 32.0 * 128 * 4096);
}

TEST_CASE("launch: a script with several training commands says which one is read", "[launch]") {
    const auto command = [](const std::string& tensor, const std::string& more) {
        return script("", "--tensor-model-parallel-size " + tensor + more);
    };
    const LaunchRead phases = read(kMegatron, command("2", "") + command("4", " --lr 1"));
    CHECK(resolve(phases.scenario)[P::tensor_parallel] == 4);
    CHECK(
        has_note(phases.notes, "The script has 2 training commands, in lines 1, 2; that of line 2 is read."));
    // One that only evaluates is read only if there is no other.
    const LaunchRead evaluated = read(kMegatron, command("4", " --skip-train --lr 1") + command("2", ""));
    CHECK(resolve(evaluated.scenario)[P::tensor_parallel] == 2);
    CHECK_FALSE(has_note(read(kMegatron, command("2", "")).notes, "training commands"));
}

TEST_CASE("launch: srun and mpirun state the number of GPUs", "[launch]") {
    const auto gpus = [](const std::string& before, const std::string& launcher) {
        std::string text = script("", "");
        const std::string torchrun = "torchrun --nproc_per_node 8 --nnodes 2 ";
        text.replace(0, torchrun.size(), launcher + " python3 ");
        const LaunchRead found = read(kMegatron, before + text);
        for (const char* option : {"--ntasks", "--gpus-per-node", "--nodes"})
            CHECK_FALSE(has_note(found.notes, option));
        return resolve(found.scenario)[P::gpus];
    };
    CHECK(gpus("", "srun -N 16 --ntasks-per-node=8 --gpus-per-node=8") == 128);
    CHECK(gpus("", "srun --nodes=4 --ntasks-per-node 4") == 16);
    CHECK(gpus("", "mpirun -np 32") == 32);
    // What srun does not state is that of the job.
    CHECK(gpus("#SBATCH --nodes=8 --ntasks-per-node=8\n", "srun") == 64);
    CHECK(gpus("#SBATCH --nodes=8 --ntasks-per-node=8\n", "srun -N 2") == 16);
}

TEST_CASE("launch: what a checkpoint or several layers decide is noted", "[launch]") {
    const auto notes = [](const std::string& words) { return read(kMegatron, script("", words)).notes; };
    CHECK(has_note(notes("--use-checkpoint-args --load x"), "--use-checkpoint-args takes the model's shape"));
    const std::string full =
        "--recompute-granularity full --recompute-method uniform --recompute-num-layers ";
    CHECK(has_note(notes(full + "8"), "8 layers are recomputed together"));
    CHECK_FALSE(has_note(notes(full + "1"), "recomputed together"));
    const std::string context = "--context-parallel-size 2 --cp-comm-type ";
    CHECK(has_note(notes(context + "a2a p2p"), "The layers have several values of --cp-comm-type"));
    CHECK_FALSE(has_note(notes(context + "a2a a2a"), "several values"));
}
