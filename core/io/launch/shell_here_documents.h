// Finds the here-documents of a shell script: the lines between `command <<WORD` and the line WORD.
#pragma once

#include <string>
#include <vector>

#include "launch/shell_cursor.h"

namespace shardscope::launch {

class ShellHereDocuments {
  public:
    // Reads <<WORD, <<-WORD or <<'WORD'. Its text begins on the next line. Of <<< only the operator is read,
    // because an ordinary word follows.
    void read_operator(ShellCursor& text);
    // Skips the here-documents that begin on this line, and returns their texts.
    std::vector<ShellCursor> read_texts(ShellCursor& text);

  private:
    std::vector<std::string> ends_;  // end words of the here-documents that begin on the next line
    int unterminated_ = 0;           // number of here-documents whose end was not found
};

}  // namespace shardscope::launch
