// E19: an all-to-all sends tokens to their experts and another returns them. The GPU with the busiest expert
// determines the time.
//
// A plain all-to-all sends one copy of a token for each of its experts. DeepEP-like dispatchers send a token
// once to each node that holds some of its experts, and inside a node once to each GPU. If k experts are
// chosen at random, a token needs g·(1 − (1 − 1/g)^k) of g places on average. A router that first chooses M
// of the G groups of experts limits the places to those that hold these groups. In the backward pass the
// gradients take the same paths with the same bytes. What is for nodes of other pods shares their
// oversubscribed links, as in every all-to-all. Sources: Lepikhin et al. 2020 (GShard), arXiv
// 2006.16668; DeepSeek-V3, arXiv 2412.19437, sections 2.1.2 (at most 4 nodes for a token) and 3.2.2.
#pragma once

#include <algorithm>
#include <cmath>

#include "effects/collectives.h"
#include "parameters/parameter.h"

namespace shardscope {

// The groups of experts among which the router chooses.
struct ExpertGroups {
    double count = 0;   // groups of consecutive experts; 0: the router chooses among all experts
    double chosen = 0;  // groups that hold all experts of a token
};

// The tokens that one GPU sends to experts.
struct Dispatch {
    double bytes = 0;  // of all copies that one GPU sends
    double experts_per_token = 1;
    ExpertGroups groups;
};

// Returns the mean number of different places among `places` that `choices` random choices reach.
inline double different_places(double places, double choices) {
    return places * (1 - std::pow(1 - 1 / places, choices));
}

// Returns the mean number of the `places` that hold experts of the groups that a token chooses.
inline double places_of_groups(double places, const ExpertGroups& groups) {
    if (groups.chosen <= 0 || groups.chosen >= groups.count) return places;
    // A group is on one place or on several.
    if (groups.count <= places) return places * groups.chosen / groups.count;
    // A place holds several groups, none of which may be among the chosen ones.
    const double held = groups.count / places;
    double none = 1;
    for (double i = 0; i < groups.chosen; ++i) none *= std::max(0.0, 1 - held / (groups.count - i));
    return places * (1 - none);
}

// Returns the mean number of the `places` that hold experts of a token.
inline double places_of_token(double places, const Dispatch& dispatch) {
    return different_places(std::max(1.0, places_of_groups(places, dispatch.groups)),
                            dispatch.experts_per_token);
}

// Returns ω (overlap.h) of an exchange that overlaps with compute. DeepEP's kernels occupy 20
// multiprocessors, by default and in the training of DeepSeek-V3 (section 3.2.2), where the H800 has 132: the
// compute beside them is slower by at least that share.
inline double dispatch_overlap(MoeDispatcher dispatcher, double overlap) {
    constexpr double kOccupied = 20.0 / 132;
    return dispatcher == MoeDispatcher::deepep ? std::max(overlap, kOccupied) : overlap;
}

// `imbalance` is the number of tokens on the busiest GPU relative to the average one.
inline Time expert_dispatch_time(const Dispatch& dispatch, MoeDispatcher dispatcher, double imbalance,
                                 const RingGroup& group, const NetworkRates& network) {
    if (group.size() <= 1) return {};
    const double token_bytes = dispatch.bytes / dispatch.experts_per_token;
    switch (dispatcher) {
        case MoeDispatcher::all_to_all: break;
        case MoeDispatcher::deepep: {
            // All places together receive `bytes`, of which the all-to-all sends (g − 1)/g to other GPUs.
            const Time inside = all_to_all_time(token_bytes * places_of_token(group.size(), dispatch),
                                                in_one_node(group), network);
            const Time between = group.nodes <= 1
                                     ? Time{}
                                     : all_to_all_time(token_bytes * places_of_token(group.nodes, dispatch),
                                                       one_in_each_node(group), network);
            return imbalance * longer(inside, between);
        }
        case MoeDispatcher::all_gather: return all_gather_time(token_bytes * group.size(), group, network);
    }
    return imbalance * all_to_all_time(dispatch.bytes, group, network);
}

}  // namespace shardscope
