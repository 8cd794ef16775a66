// solve() repeats the three stages of the paper. Grow: both trees grow until they touch. Augment: flow is pushed along
// the path between their roots, which saturates arcs. Adopt: nodes that were cut off from their root find a new parent
// or leave their tree.
#include "field/graph/max_flow.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace ruckle {

void MaxFlow::clear() {
    nodes_.clear();
    arcs_.clear();
}

void MaxFlow::reserve(std::size_t node_count, std::size_t arc_pair_count) {
    nodes_.reserve(node_count);
    arcs_.reserve(2 * arc_pair_count);
    // room for twice the number of nodes: activate() moves the used half to the front instead of allocating
    active_.reserve(2 * node_count);
    orphans_.reserve(node_count);
}

int MaxFlow::add_node() {
    nodes_.push_back({none, none, 0, 0, 0, 0, false});
    return static_cast<int>(nodes_.size()) - 1;
}

// The two arcs of a pair have the indices 2 k and 2 k + 1, so arc ^ 1 is the reverse arc.
void MaxFlow::add_arcs(int a, int b, std::int64_t forward, std::int64_t backward) {
    assert(a != b && forward >= 0 && backward >= 0);
    const auto arc = static_cast<std::int32_t>(arcs_.size());
    arcs_.push_back({b, nodes_[a].first_arc, forward});
    arcs_.push_back({a, nodes_[b].first_arc, backward});
    nodes_[a].first_arc = arc;
    nodes_[b].first_arc = arc + 1;
}

// Appends a node to the queue of active nodes, unless it is already in the queue.
void MaxFlow::activate(int node) {
    if (nodes_[node].queued) {
        return;
    }
    nodes_[node].queued = true;
    // each node is in the queue at most once, so at most half of the capacity is in use. If the memory is full, move
    // this half to the front instead of allocating
    if (active_.size() == active_.capacity() && active_head_ * 2 >= active_.size()) {
        active_.erase(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(active_head_));
        active_head_ = 0;
    }
    active_.push_back(node);
}

// Removes the next active node from the queue and returns it; none if the queue is empty.
int MaxFlow::next_active() {
    while (active_head_ < active_.size()) {
        const int node = active_[active_head_++];
        nodes_[node].queued = false;
        // a node that leaves its tree is not removed from the queue; skip it here
        if (nodes_[node].tree != 0) {
            return node;
        }
    }
    return none;
}

void MaxFlow::solve() {
    active_.clear();
    active_head_ = 0;
    time_ = 0;
    // the roots of the trees are the nodes with free capacity from the source or to the sink
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
        Node& n = nodes_[node];
        if (n.terminal != 0) {
            n.tree = n.terminal > 0 ? 1 : -1;
            n.parent = root;
            n.distance = 1;
            activate(node);
        }
    }
    int current = none;
    for (;;) {
        // grow the same node again as long as it is in a tree and grow() finds a path through it
        if (current == none || nodes_[current].tree == 0) {
            current = next_active();
            if (current == none) {
                return;
            }
        }
        const int middle = grow(current);
        if (middle == none) {
            current = none;
            continue;
        }
        // distances that were computed before this augmentation become invalid
        ++time_;
        augment(middle);
        adopt_orphans();
    }
}

// Adds the free neighbours of a node to its tree, and activates them. Returns an arc from the source tree to the sink
// tree if the node has one; the trees then touch. Otherwise returns none.
int MaxFlow::grow(int node) {
    const Node& n = nodes_[node];
    for (int arc = n.first_arc; arc != none; arc = arcs_[arc].next) {
        // skip an arc without free capacity in the direction in which this tree grows
        if (residual_toward(n.tree, arc) == 0) {
            continue;
        }
        const int other = arcs_[arc].head;
        Node& o = nodes_[other];
        if (o.tree == 0) {
            o.tree = n.tree;
            o.parent = arc ^ 1;
            o.time = n.time;
            o.distance = n.distance + 1;
            activate(other);
        } else if (o.tree != n.tree) {
            // return the arc that points from the source's tree to the sink's tree, whichever tree grows
            return n.tree > 0 ? arc : arc ^ 1;
        } else if (o.time <= n.time && o.distance > n.distance + 1) {
            // make the node the parent of its neighbour if this shortens the path to the root
            o.parent = arc ^ 1;
            o.time = n.time;
            o.distance = n.distance + 1;
        }
    }
    return none;
}

// Returns the smallest free capacity along the path through an arc between the trees, from the source to the sink.
std::int64_t MaxFlow::bottleneck(int middle) const {
    std::int64_t flow = arcs_[middle].residual;
    // walk up both trees from the two ends of the arc
    for (const int tree : {1, -1}) {
        int node = arcs_[tree > 0 ? middle ^ 1 : middle].head;
        while (nodes_[node].parent != root) {
            const int up = nodes_[node].parent;
            flow = std::min(flow, residual_toward(-tree, up));
            node = arcs_[up].head;
        }
        flow = std::min(flow, tree * nodes_[node].terminal);
    }
    return flow;
}

void MaxFlow::orphan(int node) {
    nodes_[node].parent = orphaned;
    orphans_.push_back(node);
}

// Pushes flow along one half of the path, from `node` to the root of its tree. If an arc is saturated, the node that is
// farther from the root becomes an orphan. A root without free capacity also becomes an orphan.
void MaxFlow::push_side(int node, int tree, std::int64_t flow) {
    while (nodes_[node].parent != root) {
        const int up = nodes_[node].parent;
        // the parent arc points to the root: flow runs down the source's tree and up the sink's tree
        const int along = tree > 0 ? up ^ 1 : up;
        arcs_[along].residual -= flow;
        arcs_[along ^ 1].residual += flow;
        if (arcs_[along].residual == 0) {
            orphan(node);
        }
        node = arcs_[up].head;
    }
    // the sign depends on the tree, because capacity to the sink is stored as a negative number
    nodes_[node].terminal -= tree * flow;
    if (nodes_[node].terminal == 0) {
        orphan(node);
    }
}

// Pushes as much flow as possible along the path through the arc `middle`.
void MaxFlow::augment(int middle) {
    const std::int64_t flow = bottleneck(middle);
    arcs_[middle].residual -= flow;
    arcs_[middle ^ 1].residual += flow;
    push_side(arcs_[middle ^ 1].head, 1, flow);
    push_side(arcs_[middle].head, -1, flow);
}

// Returns the number of steps from a node to its root, or the largest integer if the path ends at an orphan. Distances
// found since the last augmentation are reused.
int MaxFlow::distance_to_root(int node) {
    constexpr int unreachable = std::numeric_limits<int>::max();
    int steps = 0;
    int at = node;
    while (nodes_[at].time != time_) {
        const int up = nodes_[at].parent;
        if (up == orphaned) {
            return unreachable;
        }
        ++steps;
        if (up == root) {
            nodes_[at].time = time_;
            nodes_[at].distance = 1;
            --steps;
            break;
        }
        at = arcs_[up].head;
    }
    const int distance = steps + nodes_[at].distance;
    // store the distance at every node of the path, so that later searches end at these nodes
    for (int remaining = distance; nodes_[node].time != time_; --remaining) {
        nodes_[node].time = time_;
        nodes_[node].distance = remaining;
        node = arcs_[nodes_[node].parent].head;
    }
    return distance;
}

// Returns the arc to a new parent of an orphan, or none, and sets its distance to the root. The parent is in the same
// tree, has free capacity to the orphan, and has the smallest distance to the root.
int MaxFlow::find_parent(int node, int& distance) {
    int parent = none;
    distance = std::numeric_limits<int>::max();
    for (int arc = nodes_[node].first_arc; arc != none; arc = arcs_[arc].next) {
        const int other = arcs_[arc].head;
        if (nodes_[other].tree == nodes_[node].tree && residual_toward(-nodes_[node].tree, arc) > 0) {
            // a node below an orphan is not a valid parent, because its path to the root may be cut
            if (const int found = distance_to_root(other); found < distance) {
                distance = found;
                parent = arc;
            }
        }
    }
    return parent;
}

// Removes a node without a possible parent from its tree. Its children become orphans. Neighbours with free capacity to
// the node become active again.
void MaxFlow::set_free(int node) {
    Node& n = nodes_[node];
    for (int arc = n.first_arc; arc != none; arc = arcs_[arc].next) {
        const int other = arcs_[arc].head;
        if (nodes_[other].tree != n.tree) {
            continue;
        }
        if (residual_toward(-n.tree, arc) > 0) {
            activate(other);
        }
        const int up = nodes_[other].parent;
        // `up` is negative for roots and orphans, which do not have a parent arc
        if (up >= 0 && arcs_[up].head == node) {
            orphan(other);
        }
    }
    // reset the tree last, because the loop above compares it with the trees of the neighbours
    n.tree = 0;
    n.parent = none;
}

// Gives each orphan a new parent or removes it from its tree. The list grows during the loop, because the children of a
// removed node become orphans.
void MaxFlow::adopt_orphans() {
    for (std::size_t next = 0; next < orphans_.size(); ++next) {
        const int node = orphans_[next];
        int distance;
        if (const int parent = find_parent(node, distance); parent != none) {
            nodes_[node].parent = parent;
            nodes_[node].time = time_;
            nodes_[node].distance = distance + 1;
        } else {
            set_free(node);
        }
    }
    // all orphans have a parent or have left their tree
    orphans_.clear();
}

}  // namespace ruckle
