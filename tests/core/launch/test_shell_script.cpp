#include "launch/shell_script.h"

#include <catch2/catch.hpp>

#include "support/shell_commands.h"

using namespace shardscope;
using namespace shardscope::testing;
using launch::Command;

namespace {

launch::ShellScript read_script(const std::string& script) {
    Problems problems;
    launch::ShellScript out = launch::read_shell_script(script, problems);
    CHECK(problems.empty());
    return out;
}

}  // namespace

TEST_CASE("shell: quotes, continued lines and comments are read as in a shell", "[launch]") {
    const auto found = commands(
        "# first\nrun 'a b' \"c d\" e\\ f \\\n  --x=\"1\"2 '' # not this --y\nnext;third && 'fourth'\n");
    REQUIRE(found.size() == 4);
    CHECK(words(found[0]) == Words{"run", "a b", "c d", "e f", "--x=12", ""});
    CHECK(found[0][4].line == 3);
    CHECK(words(found[1]) == Words{"next"});
    CHECK(found[1][0].line == 4);
    CHECK(words(found[3]) == Words{"fourth"});
}

TEST_CASE("shell: a default value loses its quotes", "[launch]") {
    const auto found = commands("N=${SLURM_NNODES:-\"2\"}\nrun $N ${TP:-'4'} \"${X:-\"a}b\"}\" ${Y:-c}d\n");
    CHECK(words(found.back()) == Words{"run", "2", "4", "a}b", "cd"});
    // In double quotes an apostrophe is a letter.
    CHECK(words(commands("run \"${X:-Bob's run}\" next\n").back()) == Words{"run", "Bob's run", "next"});
}

TEST_CASE("shell: variables that the script sets are replaced, and unknown expansions are named",
          "[launch]") {
    const auto found = commands(
        "A=3\nexport B=\"x y\"\nLIST=(\n  --one 1 # a\n  --two ${A}\n)\nLIST+=(--three)\n"
        "run $B \"$B\" ${LIST[@]} \"${LIST[@]}\" ${C:-7} $D $(date) ${A}b \"$@\"\n");
    const Command& run = found.back();
    CHECK(words(run) == Words{"run", "x", "y", "x y", "--one", "1", "--two", "3", "--three", "--one", "1",
                              "--two", "3", "--three", "7", "? $D", "? $(date)", "3b", "? $@"});
    CHECK(run[15].unknown == "$D");
    CHECK(run[16].unknown == "$(date)");
    CHECK(run[4].unknown.empty());
    CHECK(run.back().unknown == "$@");
}

TEST_CASE("shell: arguments that a script collects in one string are split into words", "[launch]") {
    const auto found = commands("ARGS=\"\n    --num-layers 24 \\\n    --bf16\n\"\nrun $ARGS\n");
    CHECK(words(found.back()) == Words{"run", "--num-layers", "24", "--bf16"});
}

TEST_CASE("shell: a here-document is skipped as text, or read as commands if a program runs it", "[launch]") {
    const auto prose = commands("cat <<'EOF' > notes\nit's (not) \"a command\nEOF\nrun --one 1\n");
    CHECK(words(prose.back()) == Words{"run", "--one", "1"});
    CHECK(prose.back()[0].line == 4);
    const auto script = commands("N=4\nsbatch <<-END\n\trun --nodes $N\n\tEND\nafter $N\n");
    REQUIRE(script.size() == 3);
    CHECK(words(script[0]) == Words{"run", "--nodes", "4"});
    CHECK(script[0][0].line == 3);
    CHECK(words(script[2]) == Words{"after", "4"});
    // These are a shift and a here-string, not here-documents.
    CHECK(words(commands("(( A = 1 << B ))\nrun --x\n").back()) == Words{"run", "--x"});
    CHECK(words(commands("cat <<< word\nrun --x\n").back()) == Words{"run", "--x"});
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "a <<b\n";
    CHECK(commands(many).size() >= 20'000);
}

TEST_CASE("shell: an unfinished or endless construct is a problem", "[launch]") {
    const auto problem = [](const std::string& script) {
        Problems problems;
        launch::read_shell_script(script, problems);
        REQUIRE(problems.size() == 1);
        return problems.front();
    };
    CHECK(problem("a\nb 'c\nd").line == 2);
    CHECK(problem("b \"c").what == "a quote \" is open");
    CHECK(problem("\nL=(1 2").line == 2);
    std::string doubling = "A=0123456789\n";
    for (int i = 0; i < 40; ++i) doubling += "A=$A$A\n";
    CHECK(problem(doubling).what == "the script is too long");
    std::string lists = "A=('' '')\n";
    for (int i = 0; i < 40; ++i) lists += "A=(\"${A[@]}\" \"${A[@]}\")\n";
    CHECK(problem(lists).what == "the script is too long");
}

TEST_CASE("shell: branches are read by the values that the script sets", "[launch]") {
    const std::string sizes =
        "if [ \"$MODE\" = \"big\" ]; then\n  TP=8\nelif [[ $MODE == mid ]]; then TP=4\nelse\n  TP=1\nfi\nrun "
        "$TP\n";
    CHECK(last("MODE=big\n" + sizes) == Words{"run", "8"});
    CHECK(last("MODE=mid\n" + sizes) == Words{"run", "4"});
    CHECK(last("MODE=small\n" + sizes) == Words{"run", "1"});
    // Numbers, emptiness, negation, and tests that guard one assignment.
    CHECK(last("N=16\nA=no\nif [ $N -gt 8 ]; then A=yes; fi\nrun $A\n") == Words{"run", "yes"});
    CHECK(last("X=\nA=no\nif [ ! -n \"$X\" ]; then A=yes; fi\nrun $A\n") == Words{"run", "yes"});
    CHECK(last("F=1\nARGS=(--a)\n[ $F -eq 1 ] && ARGS+=(--fp8)\nrun ${ARGS[@]}\n") ==
          Words{"run", "--a", "--fp8"});
    CHECK(last("F=0\nARGS=(--a)\n[[ $F == 1 ]] && ARGS+=(--fp8)\nrun ${ARGS[@]}\n") == Words{"run", "--a"});
    CHECK(last("F=0\nT=1\ntest $F -eq 1 || T=2\nrun $T\n") == Words{"run", "2"});
    // An inner branch runs only if the outer one does.
    CHECK(last("A=1\nB=x\nif [ $A = 0 ]; then if [ $A = 1 ]; then B=y; fi; B=z; else B=w; fi\nrun $B\n") ==
          Words{"run", "w"});
    // A command of a branch that does not run is not among the commands.
    CHECK(commands("A=1\nif [ $A = 0 ]; then\n  other\nfi\nrun\n").size() == 1);
}

TEST_CASE("shell: tests joined by && and || are read from left to right", "[launch]") {
    const auto branch = [](const std::string& tests) {
        return last("A=1\nB=2\nX=no\nif " + tests + "; then X=yes; fi\nrun $X\n").back();
    };
    CHECK(branch("[[ $A == 0 ]] || [[ $B == 2 ]]") == "yes");
    CHECK(branch("[[ $A == 0 ]] || [[ $B == 0 ]]") == "no");
    CHECK(branch("[[ $A == 1 ]] && [ $B = 2 ]") == "yes");
    CHECK(branch("[[ $A == 1 ]] && [ $B = 0 ]") == "no");
    // (yes || no) && no
    CHECK(branch("[ $A = 1 ] || [ $A = 0 ] && [ $B = 0 ]") == "no");
    CHECK(branch("[ $A = 1 ] ||\n    [ $A = 0 ]") == "yes");
    // What is not known decides only where the others do not.
    CHECK(branch("[ $A = 1 ] || [ $UNKNOWN = 1 ]") == "yes");
    CHECK(branch("[ $A = 0 ] && grep -q x file") == "no");
    const auto open = read_script("A=1\nX=no\nif [ $A = 1 ] && [ $UNKNOWN = 1 ]; then X=yes; fi\nrun $X\n");
    CHECK(open.unread == std::vector<int>{3});
    // As in elif.
    CHECK(last("A=1\nif [ $A = 0 ]; then X=a; elif [ $A = 2 ] || [ $A = 1 ]; then X=b; else X=c; fi\nrun "
               "$X\n") == Words{"run", "b"});
}

TEST_CASE("shell: nothing is set where a test, a loop or a case depends on unknown values", "[launch]") {
    const auto branch = read_script("TP=1\nif [ \"$X\" = 1 ]; then\n  TP=8\nelse\n  TP=4\nfi\nrun $TP\n");
    CHECK(words(branch.commands.back()) == Words{"run", "1"});
    CHECK(branch.unread == std::vector<int>{2});
    const auto loop = read_script("A=1\nfor i in 1 2; do\n  A=$i\ndone\nrun $A\n");
    CHECK(words(loop.commands.back()) == Words{"run", "1"});
    CHECK(loop.unread == std::vector<int>{2});
    const auto cases = read_script("A=1\ncase $1 in\n  a) A=2 ;;\n  *)\n    A=3\n    ;;\nesac\nrun $A\n");
    CHECK(words(cases.commands.back()) == Words{"run", "1"});
    CHECK(cases.unread == std::vector<int>{2});
    const auto guard = read_script("A=1\n[ -f file ] && A=2\n[ -d x ] || B=3\nrun $A $B\n");
    CHECK(words(guard.commands.back()) == Words{"run", "1", "? $B"});
    CHECK(guard.unread == std::vector<int>{2, 3});
    // A known first branch makes the others known, too.
    CHECK(read_script("A=1\nif [ $A = 1 ]; then B=1; elif [ $X ]; then B=2; fi\nrun $B\n").unread.empty());
    // The end of a branch that was never begun is no error.
    CHECK(words(read_script("fi\ndone\nelse\nrun\n").commands.back()) == Words{"run"});
}

TEST_CASE("shell: a value from the shell is known in the word that it is in", "[launch]") {
    const auto found =
        commands("SEQ=$7\nOPT=\" --seq ${SEQ} --batch 4\"\nOPT+=\" --x ${Y:-3}\"\nrun ${OPT}\n");
    const Command& run = found.back();
    CHECK(words(run) == Words{"run", "--seq", "? $7", "--batch", "4", "--x", "3"});
    CHECK(run[1].unknown.empty());
    CHECK(run[2].unknown == "$7");
    REQUIRE(run[2].from_shell.size() == 1);
    CHECK(run[2].from_shell[0].line == 1);
    CHECK(run[4].from_shell.empty());
    CHECK(run[6].unknown.empty());
    REQUIRE(run[6].from_shell.size() == 1);
    CHECK(run[6].from_shell[0].has_default);
}

TEST_CASE("shell: arithmetic over integers that the script sets is computed", "[launch]") {
    const auto found = commands(
        "A=2\nB=3\nC=$((A * B))\nrun $((A*B*4)) $(( (${A} + $B) * 2 - 7 / 2 % 2 )) $C$((1+1)) "
        "\"$((C/4))\"\n");
    CHECK(words(found.back()) == Words{"run", "24", "9", "62", "1"});
    // What the shell would compute from other values or by other operators is not known.
    for (const char* text :
         {"$((N * 2))", "$((A ** 2))", "$((A << 1))", "$((A / 0))", "$((A + ))", "$((010))", "$((1.5 * 2))",
          "$(($1 + 1))", "$((999999999999999 * 999999999999999))", "$((A)",
          "$((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))"}) {
        INFO(text);
        const Command run = commands(std::string("A=2\nrun ") + text + "\n").back();
        CHECK(run.at(1).text.empty());
        CHECK_FALSE(run.at(1).unknown.empty());
    }
}

TEST_CASE("shell: the directives of a SLURM job set the variables of the job", "[launch]") {
    const auto run = [](const std::string& directives) {
        return words(commands("#!/bin/bash\n" + directives +
                              "\nrun ${SLURM_NNODES:-1} ${SLURM_NTASKS:-2} ${SLURM_GPUS_ON_NODE:-3}\n")
                         .back());
    };
    CHECK(run("#SBATCH --nodes=16") == Words{"run", "16", "2", "3"});
    CHECK(run("#SBATCH -N 16 --gres=gpu:8 # as many as a rack has") == Words{"run", "16", "2", "8"});
    CHECK(run("#SBATCH -N16\n#SBATCH --ntasks-per-node 8\n#SBATCH --gpus-per-node=h100:4") ==
          Words{"run", "16", "128", "4"});
    CHECK(run("#SBATCH -n 64 --gres=tmpfs:100") == Words{"run", "1", "64", "3"});
    // Ranges, other lines and comments state nothing.
    CHECK(run("#SBATCH --nodes=2-4\n##SBATCH --nodes=8\n# #SBATCH -N 8\n#SBATCH --nodelist=a --nodes=0") ==
          Words{"run", "1", "2", "3"});
    CHECK(read_script("#SBATCH --nodes=2 --ntasks-per-node=8\nrun\n").slurm.tasks == 16);
    CHECK(read_script("run\n").slurm.tasks == 0);
    // The script's own value is the later one.
    CHECK(last("#SBATCH --nodes=16\nSLURM_NNODES=4\nrun $SLURM_NNODES\n") == Words{"run", "4"});
}

TEST_CASE("shell: a test of what SLURM may set is unknown without a directive", "[launch]") {
    const std::string test =
        "N=${SLURM_NNODES:-1}\nif [ $N -gt 4 ]; then A=8; else A=4; fi\nrun ${A:-none}\n";
    CHECK(read_script(test).unread == std::vector<int>{2});
    CHECK(read_script("#SBATCH -N 16\n" + test).unread.empty());
    CHECK(last("#SBATCH -N 16\n" + test) == Words{"run", "8"});
    // Other defaults are what the script does by itself.
    CHECK(last("P=${P:-bf16}\nif [ $P = bf16 ]; then A=1; fi\nrun $A\n") == Words{"run", "1"});
}

TEST_CASE("shell: the commands that a shell is given are read", "[launch]") {
    CHECK(last("OPT=\" \\\n --one 1 \\\n --two\"\nCMD=\"python -u a.py $@ ${OPT}\"\nsrun -l sh -c "
               "\"${CMD}\"\n") == Words{"python", "-u", "a.py", "? $@", "--one", "1", "--two"});
    CHECK(last("A='--one 1'\nsrun /bin/bash -lc \"cd x && python a.py $A\"\n") ==
          Words{"python", "a.py", "--one", "1"});
    CHECK(last("A=3\nbash -c 'python a.py --one $A'\n") == Words{"python", "a.py", "--one", "3"});
    CHECK(last("srun bash -c \"x; python a.py --name \\\"a b\\\" $D\"\n") ==
          Words{"python", "a.py", "--name", "a b", "? $D"});
    // A script's file and its arguments are no commands.
    CHECK(last("bash run.sh -c 1\n") == Words{"bash", "run.sh", "-c", "1"});
    CHECK(last("bash -c\n") == Words{"bash", "-c"});
}
