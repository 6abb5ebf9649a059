// A rooted spanning tree with a flow on each arc, which can be cut and hung elsewhere: the basis of a network simplex.
//
// Nodes are kept in preorder on a circular list, so that a subtree is a run of `size` nodes that starts at its top.
// Walking such a run is all that a change of potentials needs, and moving it costs a few links.
#pragma once

#include <utility>
#include <vector>

namespace hott {

// Flow: a number that can be added and negated.
template <class Flow>
class Tree {
  public:
    static constexpr int none = -1;

    struct Node {
        Flow flow;         // of the arc between the node and its parent
        int parent, size;  // nodes of the subtree, itself included
    };

    // Every node alone.
    void reset(int count) {
        node_.assign(count, {Flow{}, none, 1});
        next_.resize(count);
        previous_.resize(count);
        last_.resize(count);
        for (int k = 0; k < count; ++k) next_[k] = previous_[k] = last_[k] = k;
    }

    const Node& operator[](int node) const { return node_[node]; }
    int next(int node) const { return next_[node]; }
    int previous(int node) const { return previous_[node]; }

    // Hangs the tree whose top is `node` below `parent`, as its first child. Sizes above are the caller's to change.
    void hang(int node, int parent, const Flow& flow) {
        const int after = next_[parent], end = last_[node];
        link(parent, node);
        link(end, after);
        node_[node].parent = parent;
        node_[node].flow = flow;
        for (int k = parent; k != none && last_[k] == parent; k = node_[k].parent) last_[k] = end;
    }

    // Cuts the subtree below `node` off, and makes it a tree of its own.
    void cut(int node) {
        const int before = previous_[node], end = last_[node];
        link(before, next_[end]);
        link(end, node);
        for (int k = node_[node].parent; k != none && last_[k] == end; k = node_[k].parent) last_[k] = before;
    }

    // Walks from `node` up to but without `end`, changing sizes by `growth` and flows by `step`, alternately less and
    // more of it.
    void augment(int node, int end, Flow step, int growth) {
        for (; node != end; node = node_[node].parent, step = -step) {
            node_[node].flow -= step;
            node_[node].size += growth;
        }
    }

    // Turns the tree below `old_top`, which was cut off, so that `top` is on top: arcs between the two are reversed.
    // `total` is its size; the sizes found on the way are less than they were by that much (see augment).
    void turn(int top, int old_top, int total) {
        int node = top, parent = none, below = 0;  // `below`: size of the part already taken out
        int tail = last_[top];                     // of the new preorder so far
        int end = tail, rest = next_[tail];        // where the part taken out ended, and what came after it
        int before = previous_[top];               // and before it
        Flow flow{};
        for (;;) {
            const Node old = node_[node];
            node_[node] = {flow, parent, total - below};
            if (node == old_top) break;
            flow = old.flow;
            below = old.size + total;
            parent = node;
            node = old.parent;

            const int old_end = last_[node], old_before = previous_[node];
            link(tail, node);
            if (old_end == end) {
                tail = before;
            } else {
                link(before, rest);
                rest = next_[old_end];
                tail = old_end;
            }
            end = old_end;
            before = old_before;
        }
        link(tail, top);
        for (; node != none; node = node_[node].parent) last_[node] = tail;
    }

    void grow(int node, int growth) { node_[node].size += growth; }

  private:
    void link(int first, int second) {
        next_[first] = second;
        previous_[second] = first;
    }

    std::vector<Node> node_;
    std::vector<int> next_, previous_, last_;
};

}  // namespace hott
