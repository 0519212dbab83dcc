// A widget that is created when it is first used, because most people open it rarely or never.
#pragma once

#include <functional>
#include <utility>

namespace shardscope {

template <typename Widget>
class OnDemand {
  public:
    // `make` gives the widget a parent, which deletes it.
    explicit OnDemand(std::function<Widget*()> make) : make_(std::move(make)) {}

    Widget& operator*() { return widget_ ? *widget_ : *(widget_ = make_()); }
    Widget* operator->() { return &**this; }

  private:
    std::function<Widget*()> make_;
    Widget* widget_ = nullptr;
};

}  // namespace shardscope
