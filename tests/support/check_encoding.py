"""Reads the files of the writers with other parsers, and reports contents that are not read back unchanged.

check_encoding.py FOLDER: every line of FOLDER/manifest.jsonl names a file there, its kind and its
expected content. Prints one line for each failure, and exits with 1 if there is one.
"""

import ast
import csv
import html.parser
import io
import json
import os
import re
import subprocess
import sys
import tomllib
import unicodedata

FOLDER = os.path.abspath(sys.argv[1])
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Characters that control a terminal, end a line or reverse the reading direction.
STEERING = {"\u2028", "\u2029", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def path(name):
    return os.path.join(FOLDER, name)


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def steering(text, allowed=""):
    return sorted({c for c in text if c not in allowed and (unicodedata.category(c) == "Cc" or c in STEERING)})


def squeezed(text):
    """Returns the text with blanks joined, as HTML and Markdown show them."""
    return " ".join(text.split())


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what} is {found!r:.300}, not {wanted!r:.300}")


def check_title(entry):
    """Checks that a stored name is on one line, has no control characters and is not too long."""
    title = entry["text"]
    expect("steering characters", steering(title), [])
    if len(title) > 200:
        raise AssertionError(f"{len(title)} characters")


def check_terminal(entry):
    text = read(entry["file"]).decode("utf-8")
    allowed = entry.get("allowed", "\n\t")
    lines = text.replace("\r\n", "\n") if "\n" in allowed else text
    expect("steering characters", steering(lines, allowed), [])
    if entry.get("holds", "") not in text:
        raise AssertionError(f"{entry['holds']!r} is not in {text!r:.300}")


def run_bash(script, *arguments):
    """Returns the bytes of the arguments with which the script called its programs."""
    box = path("box")
    os.makedirs(box, exist_ok=True)
    dump = path("dumped")
    if os.path.exists(dump):
        os.remove(dump)
    stub = path("stub")
    os.makedirs(stub, exist_ok=True)
    for program in ("torchrun", "deepspeed", "words"):
        with open(os.path.join(stub, program), "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\nprintf '%s\\0' \"${0##*/}\" \"$@\" >> \"$DUMP\"\n")
        os.chmod(os.path.join(stub, program), 0o755)
    done = subprocess.run(
        ["/bin/bash", script, *arguments], cwd=box, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        env={"PATH": stub + ":/usr/bin:/bin", "DUMP": dump, "HEAD_NODE": "head", "HOME": box, "LC_ALL": "C.UTF-8"})
    expect("exit code", done.returncode, 0)
    expect("error", done.stderr, b"")
    expect("output", done.stdout, b"")
    made = os.listdir(box)
    for name in made:
        os.remove(os.path.join(box, name))
    expect("files that a foreign command made", made, [])
    return read("dumped").split(b"\0")[:-1]


def check_shell(entry):
    """Checks that the script runs the same command with the same variables as one with a plain title."""
    done = subprocess.run(["/bin/bash", "-n", path(entry["file"])], capture_output=True, check=False)
    expect("bash -n", (done.returncode, done.stderr), (0, b""))
    if "plain_arguments" not in CACHE.setdefault(entry["plain"], {}):
        CACHE[entry["plain"]]["plain_arguments"] = run_bash(path(entry["plain"]))
    expect("arguments", run_bash(path(entry["file"])), CACHE[entry["plain"]]["plain_arguments"])


def check_words(entry):
    """Checks every word as bash reads it; one that begins with a dash is a file of the folder."""
    wanted = [bytes.fromhex(word) for word in entry["words"]]
    wanted = [b"./" + word if word.startswith(b"-") else word for word in wanted]
    expect("program", run_bash(path(entry["file"])), [b"words", *wanted])


CACHE = {}


def check_python(entry):
    """Checks that the program is the same as with a plain title."""
    expect("program", ast.dump(ast.parse(read(entry["file"]))), ast.dump(ast.parse(read(entry["plain"]))))


def check_toml(entry):
    found = tomllib.loads(read(entry["file"]).decode("utf-8"))
    expect("description", found["job"]["description"], entry["text"])
    plain = tomllib.loads(read(entry["plain"]).decode("utf-8"))
    plain["job"]["description"] = entry["text"]
    expect("settings", found, plain)


def check_yaml(entry):
    """Checks that only comments, which are lines of their own, differ from those of a plain title."""
    text = read(entry["file"]).decode("utf-8")
    expect("steering characters", steering(text, "\n"), [])
    plain = read(entry["plain"]).decode("utf-8")
    expect("settings", *([line for line in one.splitlines() if not line.startswith("#")] for one in (text, plain)))


def at(value, place):
    for key in place:
        value = value[key]
    return value


def check_json(entry):
    text = read(entry["file"]).decode("utf-8")
    expect("steering characters", steering(text, "\n"), [])
    for one in filter(None, text.split("\n")) if entry.get("lines") else [text]:
        expect("/".join(map(str, entry["place"])), at(json.loads(one), entry["place"]), entry["text"])


def check_csv(entry):
    """Checks rows of a number and a text; a spreadsheet that skips the apostrophe shows the text."""
    rows = list(csv.reader(io.StringIO(read(entry["file"]).decode("utf-8"), newline="")))
    expect("rows", len(rows), len(entry["texts"]))
    for (number, cell), text in zip(rows, entry["texts"]):
        expect("text " + number, cell[1:] if cell.startswith("'") and cell[1:] == text else cell, text)
        check_cell(cell)


def check_cell(cell):
    if cell.startswith(FORMULA) and not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell):
        raise AssertionError(f"the cell {cell!r} is a formula")


def check_table(entry):
    """Checks that no cell of a table is a formula and that one of them contains the text."""
    rows = list(csv.reader(io.StringIO(read(entry["file"]).decode("utf-8"), newline="")))
    expect("widths of the rows", len({len(row) for row in rows}), 1)
    cells = [cell for row in rows for cell in row]
    for cell in cells:
        check_cell(cell)
    if "text" in entry and not any(entry["text"] in cell for cell in cells):
        raise AssertionError(f"{entry['text']!r} is in none of {cells!r:.300}")


VOID = ("meta", "br", "hr", "img", "link")


class Page(html.parser.HTMLParser):
    """The tags of a page with their attributes, and the text that each shows."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.open = [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, tuple(sorted(name for name, _ in attributes))))
        for name, value in attributes:
            if name == "aria-label":
                self.texts.setdefault("@" + name, []).append(value)
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            raise AssertionError(f"</{tag}> closes {self.open[-3:]}")
        self.open.pop()

    def tag_names(self):
        return {tag for tag, _ in self.tags}

    def attribute_names(self):
        return {name for _, names in self.tags for name in names}

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]][-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment {data!r:.100}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration {data!r:.100}")

    def handle_pi(self, data):
        raise AssertionError(f"an instruction {data!r:.100}")


def check_html(entry):
    """Checks for the same tags and attributes as with a plain title, and that the title is shown unchanged.

    Figures break a long title into lines, so there only the sets of tags and attributes are compared.
    """
    text = read(entry["file"]).decode("utf-8")
    expect("steering characters", steering(text, "\n\t"), [])
    page = Page(text)
    plain = Page(read(entry["plain"]).decode("utf-8"))
    if entry.get("figures"):
        expect("foreign tags", page.tag_names() - plain.tag_names(), set())
        expect("foreign attributes", page.attribute_names() - plain.attribute_names(), set())
    else:
        expect("tags", page.tags, plain.tags)
    expect("title", squeezed(page.texts["title"][0]), squeezed(entry["text"]))
    expect("heading", squeezed(page.texts["h1"][0]), squeezed(entry["text"]))
    carried = json.loads(page.texts["script"][0])
    expect("carried", at(carried, entry["place"]), entry["text"])


def rendered(name):
    done = subprocess.run(["cmark-gfm", "--extension", "table", "--extension", "strikethrough", path(name)],
                          capture_output=True, check=True)
    return Page(done.stdout.decode("utf-8"))


def check_markdown(entry):
    """Checks that headings and tables have the form of a plain text, and that the text is unchanged."""
    page = rendered(entry["file"])
    expect("tags", page.tags, rendered(entry["plain"]).tags)
    for tag in entry["shown_in"]:
        found = [squeezed(text) for text in page.texts[tag]]
        if squeezed(entry["text"]) not in found:
            raise AssertionError(f"{entry['text']!r} is in no {tag}: {found!r:.300}")


def check_xml(entry):
    """Checks that libxml2 finds the file well-formed, with the elements of the plain one."""
    done = subprocess.run(["xmllint", "--noout", "--nonet", path(entry["file"])], capture_output=True, check=False)
    expect("xmllint", (done.returncode, done.stderr.decode("utf-8", "replace")), (0, ""))
    if "title" in entry:
        done = subprocess.run(["xmllint", "--nonet", "--xpath", "string(//*[local-name()='title'])",
                               path(entry["file"])], capture_output=True, check=True)
        if squeezed(entry["title"]) not in squeezed(done.stdout.decode("utf-8")):
            raise AssertionError(f"{entry['title']!r} is not in the title {done.stdout!r:.300}")
        done = subprocess.run(["xmllint", "--nonet", "--xpath", "string(//*[local-name()='desc'])",
                               path(entry["file"])], capture_output=True, check=True)
        expect("carried", at(json.loads(done.stdout.decode("utf-8")), entry["place"]), entry["text"])
    text = read(entry["file"]).decode("utf-8")
    names = re.findall(r"<([A-Za-z][\w:-]*)", text)
    if set(names) - set(re.findall(r"<([A-Za-z][\w:-]*)", read(entry["plain"]).decode("utf-8"))):
        raise AssertionError("there is a foreign element")


CHECKS = {name.removeprefix("check_"): check for name, check in list(globals().items()) if name.startswith("check_")}

failed = 0
checked = {}
with open(path("manifest.jsonl"), encoding="utf-8") as manifest:
    for line in manifest:
        one = json.loads(line)
        checked[one["kind"]] = checked.get(one["kind"], 0) + 1
        try:
            CHECKS[one["kind"]](one)
        except Exception as problem:  # pylint: disable=broad-except
            failed += 1
            print(f"{one['kind']} {one.get('file', '')} of {one.get('text', '')!r:.100}: "
                  f"{type(problem).__name__}: {problem}".replace("\n", " "))
print("checked:", ", ".join(f"{count} {kind}" for kind, count in sorted(checked.items())))
sys.exit(1 if failed else 0)
