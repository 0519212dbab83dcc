#!/usr/bin/env python3
"""Compares the answers of two builds of Shardscope.

A change of the engine's structure must change no answer. This script asks two programs the same questions and
reports every difference: estimates of random scenarios, the validation on the shipped runs, searches for plans,
sweeps, and the data and the geometry of figures. Text must be equal, and numbers to 1e-12 relative.

    compare_builds.py OLD_PROGRAM NEW_PROGRAM [--scenarios N] [--seed N] [--only PART,...]
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-12
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

# Values of random scenarios, besides the presets and the choices of the schema. Most combinations are valid;
# the messages about the others are compared as well.
NUMBERS = {
    "cluster.gpus": [1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 4096, 16384],
    "cluster.gpus_per_node": [1, 4, 8, 16, 72],
    "cluster.intra_node_bandwidth": [32e9, 300e9, 450e9, 900e9],
    "cluster.inter_node_bandwidth": [1.25e9, 12.5e9, 25e9, 50e9, 100e9, 400e9],
    "cluster.inter_node_latency": [0, 5e-6, 28e-6, 200e-6],
    "cluster.gpu.memory": [16e9, 40e9, 85e9, 192e9, 1e12],
    "cluster.gpu.peak_flops": [100e12, 312e12, 989e12, 4000e12],
    "cluster.gpu.memory_bandwidth": [1e12, 2e12, 3.35e12, 8e12],
    "model.layers": [8, 24, 32, 61, 96],
    "model.hidden_size": [1024, 4096, 5120, 12288],
    "model.vocab_size": [32000, 50257, 128256],
    "model.mtp_layers": [0, 1],
    "model.layer_pattern": ["full", "sliding*5,full", "linear*3,full", "mamba2/none,full"],
    "training.sequence_length": [512, 2048, 4096, 8192, 32768, 131072],
    "training.micro_batch": [1, 2, 3, 4, 8, 16],
    "training.accumulation": [1, 2, 3, 8, 16, 64],
    "training.recompute": [0, 0.5, 1, "selective"],
    "training.tensor_parallel": [1, 2, 4, 8, 16],
    "training.pipeline_parallel": [1, 2, 4, 8, 16],
    "training.context_parallel": [1, 2, 4],
    "training.context_parallel_inner": [0, 2, 4],
    "training.expert_parallel": [1, 2, 8],
    "training.expert_tensor_parallel": [0, 1, 2],
    "training.virtual_stages": [1, 2, 4],
    "training.pipeline_layout": ["Et*8|t*8|t*8|t*8L", "Et*16|t*16L"],
}

# Model, cluster, GPUs and other settings of the searches for a plan.
PLAN_SPACES = [
    ("gpt-3-175b", "dgx-h100", 512, []),
    ("llama-3-8b", "dgx-h100", 64, []),
    ("llama-3-70b", "dgx-h100", 256, []),
    ("deepseek-v3", "dgx-h100", 2048, []),
    ("mixtral-8x7b", "dgx-h100", 128, []),
    ("llama-3-8b", "dgx-a100-80gb", 8, ["training.sequence_length=32768"]),
    ("llama-3-70b", "selene", 128, ["cluster.software=megatron-2022"]),
    ("gpt-3-175b", "selene", 96, ["cluster.inter_node_bandwidth=12.5e9"]),
    ("llama-3-8b", "dgx-h100", 16, ["cluster.gpu.memory=30e9"]),
    ("qwen3-32b", "mi300x-node", 64, ["training.sequence_length=16384"]),
]


def same_line(first, second):
    """Returns whether two lines are the same except for the last digits of numbers."""
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return False
    pairs = zip(NUMBER.findall(first), NUMBER.findall(second))
    return all(math.isclose(float(a), float(b), rel_tol=TOLERANCE) for a, b in pairs)


class Comparison:
    """The two programs, the questions asked and the differences found."""

    def __init__(self, old, new, folder):
        self.programs = (old, new)
        self.folder = folder
        self.differences = 0
        self.compared = 0

    def differ(self, where, old, new):
        self.differences += 1
        if self.differences <= 40:
            print(f"{where}: {str(old)[:400]} became {str(new)[:400]}")

    def run(self, arguments):
        """Returns the exit status, the output and the messages of both programs."""
        answers = []
        for program in self.programs:
            done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=self.folder,
                                  stdin=subprocess.DEVNULL, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
            answers.append((done.returncode, done.stdout, done.stderr))
        return answers

    def values(self, where, old, new):
        """Compares two JSON values."""
        if isinstance(old, bool) or isinstance(new, bool) or old is None or new is None:
            if old != new:
                self.differ(where, old, new)
        elif isinstance(old, (int, float)) and isinstance(new, (int, float)):
            self.compared += 1
            if not math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=0):
                self.differ(where, old, new)
        elif isinstance(old, dict) and isinstance(new, dict):
            if list(old) != list(new):
                self.differ(where + " (keys)", list(old), list(new))
            for key in old.keys() & new.keys():
                self.values(f"{where}/{key}", old[key], new[key])
        elif isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                self.differ(where + " (length)", len(old), len(new))
            for position, (first, second) in enumerate(zip(old, new)):
                self.values(f"{where}/{position}", first, second)
        elif isinstance(old, str) and isinstance(new, str):
            self.text(where, old, new)
        elif old != new:
            self.differ(where, old, new)

    def text(self, where, old, new):
        """Compares two texts line by line; numbers within them may differ by the tolerance."""
        self.compared += 1
        if old == new:
            return
        old_lines, new_lines = old.splitlines(), new.splitlines()
        if len(old_lines) != len(new_lines):
            self.differ(where + " (lines)", len(old_lines), len(new_lines))
        for number, (first, second) in enumerate(zip(old_lines, new_lines), 1):
            if first != second and not same_line(first, second):
                self.differ(f"{where}:{number}", first, second)

    def messages(self, where, old, new):
        """Compares the messages about each file, whose name each of them begins with."""
        of_file = {}
        for number, text in enumerate((old, new)):
            for line in text.splitlines():
                of_file.setdefault(line.split(":")[0], ([], []))[number].append(line)
        for file, (first, second) in of_file.items():
            if len(first) == len(second):
                self.text(f"{where} {file}", "\n".join(first), "\n".join(second))
            else:
                self.differ(f"{where} {file}", " | ".join(first), " | ".join(second))

    def command(self, arguments, where):
        """Compares exit status, output (as JSON where possible) and messages of one command."""
        (old_status, old_out, old_error), (new_status, new_out, new_error) = self.run(arguments)
        if old_status != new_status:
            self.differ(where + " (exit status)", f"{old_status} {old_error}", f"{new_status} {new_error}")
            return
        self.messages(where + " (messages)", old_error, new_error)
        try:
            self.values(where, json.loads(old_out), json.loads(new_out))
        except ValueError:
            old_lines, new_lines = old_out.splitlines(), new_out.splitlines()
            if len(old_lines) != len(new_lines):
                self.differ(where + " (lines)", len(old_lines), len(new_lines))
            for line, (first, second) in enumerate(zip(old_lines, new_lines), 1):
                if first == second:
                    self.compared += 1
                elif first.startswith("{") and second.startswith("{"):
                    self.values(f"{where}:{line}", json.loads(first), json.loads(second))
                else:
                    self.text(f"{where}:{line}", first, second)

    def file(self, arguments, name, where):
        """Compares the file that `arguments` write to `name`."""
        written = []
        for program in self.programs:
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                os.remove(path)
            subprocess.run([program, *arguments, "-o", name], capture_output=True, cwd=self.folder,
                           env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, check=False)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    written.append(file.read())
            else:
                written.append("(nothing was written)")
        self.text(where, *written)


def preset_names(program, kind):
    listed = subprocess.run([program, "presets", "list", "--kind", kind], capture_output=True, text=True, check=True)
    return [line.split()[1] for line in listed.stdout.splitlines() if line.strip()]


def random_values(program):
    """Returns the values of random scenarios by parameter: numbers, and every choice that the schema names."""
    schema = subprocess.run([program, "parameters", "--format", "schema"], capture_output=True, text=True, check=True)
    values = dict(NUMBERS)
    for key, definition in json.loads(schema.stdout)["definitions"].items():
        names = [name for name in definition.get("enum", []) if isinstance(name, str)]
        if "." not in key or not names or key in values:
            continue
        values[key] = ["off", "on"] if "on" in names else names
    return values


def random_scenario(chooser, models, clusters, values):
    scenario = {"model": {"preset": chooser.choice(models)}, "cluster": {"preset": chooser.choice(clusters)},
                "training": {}}
    chosen = chooser.sample(sorted(values), chooser.randint(0, 9))
    for key in ["cluster.gpus", *chosen]:
        place = scenario
        *sections, field = key.split(".")
        for section in sections:
            place = place.setdefault(section, {})
        place[field] = chooser.choice(values[key])
    if chooser.random() < 0.3:
        scenario["training"]["auto"] = [field for field in ["sharding", "micro_batch", "tensor_parallel"]
                                        if field not in scenario["training"]]
    return scenario


def compare_estimates(comparison, count, seed):
    chooser = random.Random(seed)
    old = comparison.programs[0]
    models, clusters, values = preset_names(old, "model"), preset_names(old, "cluster"), random_values(old)
    names = []
    for number in range(count):
        name = f"scenario-{number}.json"
        with open(os.path.join(comparison.folder, name), "w", encoding="utf-8") as file:
            json.dump(random_scenario(chooser, models, clusters, values), file)
        names.append(name)
    for start in range(0, count, 100):
        comparison.command(["estimate", "--format", "json", "--operators", "--hypothetical", *names[start:start + 100]],
                           f"estimate {start} to {start + 99}")


def plan_arguments(model, cluster, gpus, assignments):
    settings = [f"model.preset={model}", f"cluster.preset={cluster}", f"cluster.gpus={gpus}", *assignments]
    return [argument for setting in settings for argument in ("--set", setting)]


def empty_scenario(comparison):
    with open(os.path.join(comparison.folder, "empty.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    return "empty.json"


def compare_plans(comparison):
    for model, cluster, gpus, assignments in PLAN_SPACES:
        comparison.command(["plan", empty_scenario(comparison), *plan_arguments(model, cluster, gpus, assignments), "--format", "json", "--top", "50"],
                           f"plan {model} on {gpus}")


def compare_figures(comparison):
    plots = ["scaling", "memory", "waterfall", "sensitivity", "walls", "timeline", "plans", "operators", "validation",
             "sweep", "roofline", "collectives"]
    for name in ["first-launch", *sorted(os.listdir(os.path.join(os.path.dirname(__file__), "../../presets/studies")))]:
        study = name.removesuffix(".json")
        comparison.file(["export", study], "figure.csv", f"{study}.csv")
        comparison.file(["export", study], "figure.svg", f"{study}.svg")
    scenario = empty_scenario(comparison)
    for plot in plots:
        comparison.file(["export", scenario, "--plot", plot], "figure.csv", f"{plot}.csv")
        comparison.file(["export", scenario, "--plot", plot], "figure.svg", f"{plot}.svg")


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("old")
    reader.add_argument("new")
    reader.add_argument("--scenarios", type=int, default=1000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--only", default="estimates,validation,plans,figures")
    options = reader.parse_args()
    parts = options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(os.path.abspath(options.old), os.path.abspath(options.new), folder)
        if "estimates" in parts:
            compare_estimates(comparison, options.scenarios, options.seed)
        if "validation" in parts:
            comparison.command(["validate", "--format", "json"], "validate")
        if "plans" in parts:
            compare_plans(comparison)
        if "figures" in parts:
            compare_figures(comparison)
    print(f"{comparison.compared} values compared, {comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
