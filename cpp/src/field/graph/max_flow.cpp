// The three stages of the paper in a loop. The trees grow until they touch. The path between their roots is augmented.
// The nodes that lost their parent find a new parent or leave their tree.
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
    // room for twice the number of nodes; see activate
    active_.reserve(2 * node_count);
    orphans_.reserve(node_count);
}

int MaxFlow::add_node() {
    nodes_.push_back({none, none, 0, 0, 0, 0, false});
    return static_cast<int>(nodes_.size()) - 1;
}

// Arcs come in pairs: flipping the last bit of an arc gives its reverse.
void MaxFlow::add_arcs(int a, int b, std::int64_t forward, std::int64_t backward) {
    assert(a != b && forward >= 0 && backward >= 0);
    const auto arc = static_cast<std::int32_t>(arcs_.size());
    arcs_.push_back({b, nodes_[a].first_arc, forward});
    arcs_.push_back({a, nodes_[b].first_arc, backward});
    nodes_[a].first_arc = arc;
    nodes_[b].first_arc = arc + 1;
}

void MaxFlow::activate(int node) {
    if (nodes_[node].queued) {
        return;
    }
    nodes_[node].queued = true;
    // each node is queued at most once, so at most half of the queue is in use; moving this half to the front avoids an
    // allocation
    if (active_.size() == active_.capacity() && active_head_ * 2 >= active_.size()) {
        active_.erase(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(active_head_));
        active_head_ = 0;
    }
    active_.push_back(node);
}

int MaxFlow::next_active() {
    while (active_head_ < active_.size()) {
        const int node = active_[active_head_++];
        nodes_[node].queued = false;
        // a node remains in the queue if it leaves its tree; skip it here
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
    // both trees begin with the nodes that have free capacity from or to a terminal
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
        // a node remains current while it remains in a tree and paths are found through it
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
        // distances with an older time are outdated
        ++time_;
        augment(middle);
        adopt_orphans();
    }
}

// Adds the free neighbours of a node to its tree. Returns an arc from the source tree to the sink tree if it finds one.
int MaxFlow::grow(int node) {
    const Node& n = nodes_[node];
    for (int arc = n.first_arc; arc != none; arc = arcs_[arc].next) {
        // the arc is saturated in the growing direction of this tree
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
            // a shorter path to the root keeps later paths short
            o.parent = arc ^ 1;
            o.time = n.time;
            o.distance = n.distance + 1;
        }
    }
    return none;
}

// The smallest free capacity along the path: from the source to one end of the arc, through the arc, and on to the
// sink.
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

// Pushes flow along one half of the path. The node below a saturated arc becomes an orphan; so does a root without free
// capacity.
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
    // store the distance at every node of the path, so that the next search ends at one of them
    for (int remaining = distance; nodes_[node].time != time_; --remaining) {
        nodes_[node].time = time_;
        nodes_[node].distance = remaining;
        node = arcs_[nodes_[node].parent].head;
    }
    return distance;
}

// Returns the arc to a new parent, or none. The parent has the orphan's tree, free capacity to it, and the least
// distance to the root.
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

// Frees a node that does not have a possible parent. Its children become orphans. Neighbours with free capacity to the
// node become active again.
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
        // marks of roots and orphans are negative, so they are not arcs
        if (up >= 0 && arcs_[up].head == node) {
            orphan(other);
        }
    }
    // the node leaves its tree last, because the loop above compares this tree with the trees of the neighbours
    n.tree = 0;
    n.parent = none;
}

// The list grows during the loop: freeing a node orphans its children.
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
