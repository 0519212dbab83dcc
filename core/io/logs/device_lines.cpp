// The GPU's name and its memory, as PyTorch and nvidia-smi write them into the logs of any tool.
//
// Source: pytorch/pytorch, torch/cuda/memory.py (memory_summary) and c10/cuda/CUDACachingAllocator.cpp
// (out of memory); NVIDIA's nvidia-smi.
#include <algorithm>
#include <array>

#include "logs/log_format.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

class DeviceReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (line.has("memory")) {
            read_summary(line, contents);
            read_out_of_memory(line, contents);
        }
        read_smi(line, contents);
        read_name(line, contents);
    }

    // nvidia-smi shows the memory at one moment, which may lie before training or between two peaks. A value
    // below the allocator's peak is no peak. A log without steps has no value from during training, so the
    // largest one is used if the allocator's peak does not exceed it.
    void finish(LogContents& contents) override {
        const auto peak_of = [&](Peak peak) -> StatedNumber& {
            return contents.peaks[static_cast<std::size_t>(peak)];
        };
        // The allocator reserves at least what it allocates, so a smaller value is that of another moment.
        if (peak_of(Peak::reserved).value < peak_of(Peak::allocated).value) peak_of(Peak::reserved) = {};
        const double least = std::max(peak_of(Peak::allocated).value, peak_of(Peak::reserved).value);
        if (!contents.has_steps && least == 0) peak_of(Peak::device) = {};
        if (peak_of(Peak::device).value < least) peak_of(Peak::device) = {};
    }

  private:
    // "| Allocated memory      | 682537 KiB |  65430 MiB |   3115 GiB |   3114 GiB |"; the second number is
    // the peak.
    static void read_summary(const LogLine& line, LogContents& contents) {
        struct Row {
            std::string_view name;
            Peak peak;
        };
        static constexpr std::array kRows{Row{"| Allocated memory", Peak::allocated},
                                          Row{"| GPU reserved memory", Peak::reserved}};
        for (const Row& row : kRows) {
            const std::size_t at = line.text.find(row.name);
            if (at == std::string_view::npos) continue;
            const std::vector<std::string> cells = split(line.text.substr(at), '|');
            constexpr std::size_t kPeakCell = 3;
            if (cells.size() <= kPeakCell) continue;
            const std::string cell = "peak " + trim(cells[kPeakCell]);
            if (const auto bytes = bytes_after({cell, line.number}, "peak"))
                contents.update_peak(row.peak, *bytes, line.number);
        }
    }

    // "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. …"
    static void read_out_of_memory(const LogLine& line, LogContents& contents) {
        const bool out = line.has("CUDA out of memory. Tried to allocate") ||
                         line.has("HIP out of memory. Tried to allocate");
        if (out && contents.out_of_memory_line == 0) contents.out_of_memory_line = line.number;
    }

    // "| N/A   45C    P0   345W / 700W |  75412MiB / 81559MiB |    100%      Default |"
    static void read_smi(const LogLine& line, LogContents& contents) {
        const std::size_t slash = line.text.find("MiB / ");
        if (slash == std::string_view::npos || line.text.find("MiB |", slash) == std::string_view::npos)
            return;
        const std::size_t bar = line.text.rfind('|', slash);
        if (bar == std::string_view::npos) return;
        constexpr double kMebi = 1024.0 * 1024.0;
        const auto used = leading_number(trim(line.text.substr(bar + 1, slash - bar - 1)));
        if (!used) return;
        contents.update_training_peak(Peak::device, *used * kMebi, line.number);
    }

    static void read_name(const LogLine& line, LogContents& contents) {
        if (!contents.device.empty()) return;
        for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD Instinct "}) {
            const std::size_t at = line.text.find(maker);
            if (at == std::string_view::npos) continue;
            constexpr std::size_t kLongest = 40;
            std::string name = std::string(line.text.substr(at, kLongest));
            name = name.substr(0, name.find_first_of("|,'\")]"));
            for (const std::string_view end : {" with ", " (", "  "})
                if (const std::size_t found = name.find(end); found != std::string::npos) name.resize(found);
            if (!gpu_preset_of(name).empty()) {
                contents.device = trim(name);
                contents.device_line = line.number;
            }
        }
    }
};

}  // namespace

std::string_view gpu_preset_of(std::string_view device) {
    // The more specific name comes first. The names are those of CUDA and ROCm (device properties). Cards
    // without a preset have a row, so that they are not taken for another card. An MI250X is missing because
    // ROCm shows its two dies as two devices, while the preset is the package.
    struct Name {
        std::string_view words, preset;
    };
    static constexpr std::array kNames{
        Name{"GB300", "gb300"},
        Name{"GB200", "gb200"},
        Name{"GH200 144G", "gh200-141gb"},
        Name{"GH200 480GB", "gh200-96gb"},
        Name{"GH200", "gh200-96gb"},
        Name{"B300", "b300-sxm"},
        Name{"B200", "b200-sxm"},
        Name{"H200 NVL", ""},
        Name{"H200", "h200-sxm-141gb"},
        Name{"H800 PCIe", ""},
        Name{"H800 NVL", ""},
        Name{"H800", "h800-sxm-80gb"},
        Name{"H100 NVL", ""},
        Name{"H100 PCIe", "h100-pcie-80gb"},
        Name{"H100", "h100-sxm-80gb"},
        Name{"A800-SXM4-80GB", "a800-sxm-80gb"},
        Name{"A100-SXM-64GB", "a100-sxm-64gb"},
        Name{"A100-SXM4-40GB", "a100-sxm-40gb"},
        Name{"A100-SXM4-80GB", "a100-sxm-80gb"},
        Name{"A100 80GB PCIe", "a100-pcie-80gb"},
        Name{"L40S", "l40s"},
        Name{"RTX PRO 6000 Blackwell Max-Q", ""},
        Name{"RTX PRO 6000 Blackwell", "rtx-pro-6000"},
        Name{"V100-SXM2-32GB", "v100-sxm-32gb"},
        Name{"V100-SXM3-32GB", "v100-sxm-32gb"},
        Name{"MI355X", "mi355x"},
        Name{"MI325X", "mi325x"},
        Name{"MI300X", "mi300x"},
    };
    for (const Name& name : kNames) {
        const std::size_t at = device.find(name.words);
        if (at == std::string_view::npos) continue;
        const std::string_view before = device.substr(0, at);
        // MLPerf names systems, such as DGXH100 and 1xMI325X.
        const bool is_counted =
            before.ends_with('x') && before.find_first_not_of("0123456789x") == before.npos;
        if (before.empty() || before.ends_with(' ') || before.ends_with('-') || before.ends_with("DGX") ||
            is_counted)
            return name.preset;
    }
    return {};
}

std::unique_ptr<LineReader> make_device_reader() { return std::make_unique<DeviceReader>(); }

}  // namespace shardscope::logs
