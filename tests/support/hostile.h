// Texts that every output must treat as plain text: the worst contents of a title, a name or a file's name.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::testing {

// Returns one text of each kind that is known to break an output; if a command runs, it creates a file
// "canary".
inline std::vector<std::string> known_hostile_texts() {
    using namespace std::string_literals;
    return {
        // Shells.
        "x\ntouch canary #",
        "x\rtouch canary",
        "x\r\ntouch canary\r\n",
        "x\\\ntouch canary",
        "$(touch canary)",
        "`touch canary`",
        "'; touch canary; '",
        "\"; touch canary; \"",
        "; touch canary",
        "& touch canary",
        "| touch canary",
        "> canary",
        "\\",
        "x\\",
        "#",
        "!touch",
        "~/x",
        "*",
        "{a,b}",
        "$HOME",
        "$'\\n'",
        "--help",
        "-o",
        // Python, which reads a file's encoding from its comments.
        "coding: unicode_escape \\nopen('canary', 'w') #",
        "-*- coding: utf-7 -*- +AAo-open('canary', 'w') #",
        "\"\"\"",
        "'''",
        "\\N{DIGIT ONE}",
        // Spreadsheets.
        "=1+1",
        "=HYPERLINK(\"http://x\",\"y\")",
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-1+1",
        "@SUM(1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "'=1",
        "''=1",
        "'",
        "＝1+1",
        "－1",
        "-",
        "+",
        "=",
        "-1",
        "+1.5e3",
        "a,b;c\"d\"\te",
        "\"",
        // HTML, XML.
        "<b>x</b>",
        "<img src=x onerror=alert(1)>",
        "</title><script>alert(1)</script>",
        "</script><script>alert(1)</script>",
        "</desc><script/>",
        "<!--",
        "-->",
        "]]>",
        "<![CDATA[x]]>",
        "&lt;b&gt;",
        "&copy;",
        "&#60;",
        "&",
        "\" onload=\"x",
        "' onload='x",
        "<?xml?>",
        "<",
        ">",
        "\x01\x02\x0b\x0c"s,
        "\xEF\xBF\xBE",
        "\xEF\xBF\xBF",
        // Markdown.
        "[x](javascript:alert(1))",
        "![x](http://x)",
        "| a | b |",
        "```",
        "`x`",
        "* x",
        "+ x",
        "- x",
        "# x",
        "1. x",
        "2) x",
        "---",
        "===",
        "> x",
        "~~x~~",
        "$x$",
        "\\<b>",
        "_x_ __y__ *z* **w**",
        "[x]: y",
        "x  \ny",
        "\n\n# x",
        "<http://x>",
        // Terminals.
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07",
        "\xC2\x9B"
        "31m",
        "\b\b\b",
        "\x7f",
        "\xE2\x80\xAEgnp.exe",
        "\xE2\x81\xA6x",
        "x\xE2\x80\xA8touch canary",
        "x\xE2\x80\xA9touch canary",
        "x\xC2\x85touch canary",
        // Bytes that are not UTF-8, and bytes that must not be read as others.
        "\xFF\xFE",
        "\xC0\xAF",
        "\xED\xA0\x80",
        "\xF4\x90\x80\x80",
        "\xC2",
        "\xE2\x80",
        "\x80",
        "a\0b"s,
        "\xEF\xBB\xBFx",
        // Formats of this program.
        "%n%s%1$s",
        "%1 %2 %3",
        "{1} {2}",
        "&File && x",
        "../../x",
        "/etc/passwd",
        "..",
        ".",
        "C:\\x",
        " x ",
        "",
        " ",
        // Long texts and harmless ones.
        std::string(5000, 'x'),
        [] {
            std::string out;
            for (int i = 0; i < 300; ++i) out += "é";
            return out;
        }(),
        "Llama 3 70B",
        "über 日本語 🦙 العربية",
    };
}

// Returns those texts and `made` ones combined from their parts, the same on every machine.
inline std::vector<std::string> hostile_texts(std::size_t made) {
    std::vector<std::string> out = known_hostile_texts();
    std::vector<std::string> parts;
    for (const std::string& text : out) {
        if (text.size() < 40) parts.push_back(text);
    }
    for (int c = 0; c < 256; ++c) parts.emplace_back(1, static_cast<char>(c));
    std::mt19937 random(21);  // its sequence is part of the standard; that of distributions is not
    for (std::size_t i = 0; i < made; ++i) {
        std::string text;
        for (std::size_t n = 1 + random() % 5; n > 0; --n) text += parts[random() % parts.size()];
        out.push_back(std::move(text));
    }
    return out;
}

}  // namespace shardscope::testing
