// Copies files of every kind that can be opened, whole and damaged, to a folder where a test may overwrite
// them.
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>
#include <catch2/catch.hpp>

namespace shardscope::testing {

// Returns the paths of the copies in `folder`, in the same order on every machine. `damaged` adds truncated
// and overwritten copies, and files of no known kind.
inline QStringList copy_stock(const QString& folder, bool damaged) {
    constexpr int kPerFolder = 8;
    const QDir sources(QStringLiteral(SHARDSCOPE_SOURCE_DIR));
    const QDir target(folder);
    QStringList out;
    const auto write = [&](const QString& name, const QByteArray& text) {
        QFile file(target.filePath(name));
        REQUIRE(file.open(QIODevice::WriteOnly));
        REQUIRE(file.write(text) == text.size());
        out << file.fileName();
    };
    for (const char* from :
         {"presets/scenarios", "presets/studies", "presets/collectives", "tests/fuzz/corpus/scenario",
          "tests/fuzz/corpus/preset", "tests/fuzz/corpus/nccl", "tests/fuzz/corpus/runs",
          "tests/fuzz/corpus/session", "tests/fuzz/corpus/launch"}) {
        const QDir source(sources.filePath(QLatin1String(from)));
        QStringList names = source.entryList(QDir::Files, QDir::Name);
        while (names.size() > kPerFolder) names.removeLast();
        for (const QString& name : names) {
            QFile file(source.filePath(name));
            REQUIRE(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            const QString copy = source.dirName() + QLatin1Char('-') + name;
            write(copy, text);
            if (!damaged || text.isEmpty()) continue;
            write(QStringLiteral("half-") + copy, text.first(text.size() / 2));
            QByteArray noisy = text;
            for (qsizetype at = 7; at < noisy.size(); at += 53) noisy[at] = static_cast<char>(at * 31);
            write(QStringLiteral("noisy-") + copy, noisy);
        }
    }
    write(QStringLiteral("config.json"),
          R"({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "n_positions": 1024,
              "vocab_size": 50257})");
    if (!damaged) return out;
    write(QStringLiteral("empty"), {});
    write(QStringLiteral("deep.json"), QByteArray(100000, '['));
    write(QStringLiteral("zeros.json"), QByteArray(100000, '\0'));
    write(QStringLiteral("wide.json"), R"({"name": ")" + QByteArray(100000, 'W') + R"("})");
    write(QStringLiteral("markup.json"),
          R"_({"name": "<b>&amp;</b>\n\u202e%1%2\u0000\"'`$(reboot)", "training": {"micro_batch": 1}})_");
    write(QStringLiteral("names with spaces &and; ünïcode.json"), R"({"name": "One"})");
    out << target.path() << target.filePath(QStringLiteral("not there.json"));
    return out;
}

}  // namespace shardscope::testing
