// Compares minimum cuts of small graphs with all cuts.
#include <algorithm>

#include "check.h"
#include "field/graph/max_flow.h"
#include "meshes.h"

namespace ruckle::tests {

namespace {

struct Graph {
    struct Arcs {
        int a, b;
        std::int32_t forward, backward;
    };
    std::vector<std::int32_t> terminals;
    std::vector<Arcs> arcs;

    // Returns the cost of the cut whose source side is a bit set.
    std::int64_t cost(unsigned source_side) const {
        const auto on_source_side = [&](int node) { return (source_side >> node & 1) != 0; };
        std::int64_t sum = 0;
        for (int node = 0; node < static_cast<int>(terminals.size()); ++node) {
            const std::int32_t terminal = terminals[static_cast<std::size_t>(node)];
            sum += on_source_side(node) ? std::max(-terminal, 0) : std::max(terminal, 0);
        }
        for (const Arcs& arc : arcs) {
            sum += on_source_side(arc.a) && !on_source_side(arc.b) ? arc.forward : 0;
            sum += on_source_side(arc.b) && !on_source_side(arc.a) ? arc.backward : 0;
        }
        return sum;
    }
};

Graph random_graph(Random& random) {
    Graph graph;
    const int node_count = 1 + random.below(10);
    // small capacities cause ties, large ones many augmentations
    const int largest = random.below(2) ? 4 : 1000;
    for (int node = 0; node < node_count; ++node) {
        graph.terminals.push_back(random.below(2 * largest + 1) - largest);
    }
    for (int k = random.below(3 * node_count); k > 0 && node_count > 1; --k) {
        const int a = random.below(node_count), b = (a + 1 + random.below(node_count - 1)) % node_count;
        graph.arcs.push_back({a, b, random.below(largest), random.below(3) ? random.below(largest) : 0});
    }
    return graph;
}

unsigned minimum_cut(MaxFlow& flow, const Graph& graph, const std::vector<int>& order) {
    flow.clear();
    std::vector<int> names(order.size());
    for (const int node : order) {
        names[static_cast<std::size_t>(node)] = flow.add_node();
    }
    const auto name = [&](int node) { return names[static_cast<std::size_t>(node)]; };
    for (const int node : order) {
        flow.add_terminal(name(node), graph.terminals[static_cast<std::size_t>(node)]);
    }
    for (const Graph::Arcs& arc : graph.arcs) {
        flow.add_arcs(name(arc.a), name(arc.b), arc.forward, arc.backward);
    }
    flow.solve();
    unsigned source_side = 0;
    for (const int node : order) {
        source_side |= static_cast<unsigned>(flow.on_source_side(name(node))) << node;
    }
    return source_side;
}

}  // namespace

TEST(cuts_of_small_graphs_are_minimal_and_of_least_source_side) {
    Random random(1);
    MaxFlow flow;  // one object for all graphs, because clear() must remove the last graph
    int tied = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const Graph graph = random_graph(random);
        const int node_count = static_cast<int>(graph.terminals.size());
        std::int64_t best = graph.cost(0);
        unsigned least = 0, best_count = 0;
        for (unsigned cut = 0; cut < 1u << node_count; ++cut) {
            const std::int64_t cost = graph.cost(cut);
            if (cost < best) {
                best = cost;
                least = cut;
                best_count = 0;
            }
            if (cost == best) {
                least &= cut;  // the intersection of minimum cuts is a minimum cut
                ++best_count;
            }
        }
        tied += best_count > 1;
        std::vector<int> order, reversed;
        for (int node = 0; node < node_count; ++node) {
            order.push_back(node);
            reversed.push_back(node_count - 1 - node);
        }
        CHECK(minimum_cut(flow, graph, order) == least);
        CHECK(minimum_cut(flow, graph, reversed) == least);
    }
    CHECK(tied > 500);
}

TEST(terminals_add_up) {
    MaxFlow flow;
    const int a = flow.add_node(), b = flow.add_node();
    flow.add_terminal(a, 5);
    flow.add_terminal(b, -3);
    flow.add_terminal(a, -2);
    flow.add_arcs(a, b, 2, 0);
    flow.solve();
    // 3 from the source to a, 2 through the arc, 3 to the sink: the arc is cut
    CHECK(flow.on_source_side(a) && !flow.on_source_side(b));
}

TEST(a_long_chain_reuses_its_memory) {
    MaxFlow flow;
    for (const int length : {1000, 10, 3000}) {
        flow.clear();
        for (int k = 0; k < length; ++k) {
            flow.add_node();
        }
        flow.add_terminal(0, 7);
        flow.add_terminal(length - 1, -7);
        for (int k = 0; k + 1 < length; ++k) {
            flow.add_arcs(k, k + 1, k == length / 2 ? 6 : 8, 0);
        }
        flow.solve();
        CHECK(flow.on_source_side(length / 2) && !flow.on_source_side(length / 2 + 1));
    }
}

}  // namespace ruckle::tests
