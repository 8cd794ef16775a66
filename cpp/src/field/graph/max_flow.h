// Minimum cut by augmenting paths in two search trees. Both trees remain between augmentations.
//
// Y. Boykov, V. Kolmogorov: An Experimental Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in
// Vision, PAMI 2004, section 3. The result is the minimum cut with the smallest source side. It depends on the graph only, not on
// the order in which nodes and arcs were added.
//
// Capacities are integers. The sum of a node's capacities from and to the terminals must be below 2^63. The same limit
// applies to the sum of both capacities of an arc pair.
#pragma once

#include <cstdint>
#include <vector>

namespace ruckle {

class MaxFlow {
  public:
    // Removes all nodes and arcs. The memory is reused.
    void clear();
    // Reserves memory for a graph of this size, so that adding its nodes and arcs does not allocate.
    void reserve(std::size_t node_count, std::size_t arc_pair_count);

    // Adds a node and returns its number.
    int add_node();
    // Adds capacity between a terminal and the node: from the source if positive, to the sink if negative. The
    // capacities of several calls are added.
    void add_terminal(int node, std::int64_t capacity) { nodes_[node].terminal += capacity; }
    // Adds a pair of arcs with the capacities from a to b and from b to a, >= 0.
    void add_arcs(int a, int b, std::int64_t forward, std::int64_t backward);

    // Computes the minimum cut. The residual capacities replace the capacities.
    void solve();
    // True if the node is on the source side of the minimum cut; valid after solve.
    bool on_source_side(int node) const { return nodes_[node].tree == 1; }

  private:
    struct Arc {
        // node at which the arc ends
        std::int32_t head;
        std::int32_t next;      // next arc that starts at the same node, or none
        std::int64_t residual;  // residual capacity; arcs come in pairs: arc a ^ 1 is the reverse of arc a
    };
    struct Node {
        std::int32_t first_arc;
        std::int32_t parent;    // arc to the parent in the tree, or one of the marks below
        std::int64_t terminal;  // residual capacity from the source (> 0) or to the sink (< 0)
        std::int32_t distance;  // number of steps to the root of the tree
        // number of the augmentation after which `distance` was computed
        std::int32_t time;
        std::int8_t tree;  // tree of the node: 1: source tree, -1: sink tree, 0: none
        bool queued;       // true if the node is in the queue of active nodes
    };
    // marks in place of an arc or a node
    static constexpr std::int32_t none = -1, root = -2, orphaned = -3;

    // residual capacity of an arc in the direction in which a tree grows (1: source, -1: sink)
    std::int64_t residual_toward(int tree, int arc) const { return arcs_[tree > 0 ? arc : arc ^ 1].residual; }
    void activate(int node);
    int next_active();
    int grow(int node);
    void augment(int middle);
    std::int64_t bottleneck(int middle) const;
    void push_side(int node, int tree, std::int64_t flow);
    void orphan(int node);
    void adopt_orphans();
    int find_parent(int node, int& distance);
    void set_free(int node);
    int distance_to_root(int node);

    std::vector<Node> nodes_;
    std::vector<Arc> arcs_;
    std::vector<std::int32_t> active_, orphans_;
    std::size_t active_head_ = 0;
    std::int32_t time_ = 0;
};

}  // namespace ruckle
