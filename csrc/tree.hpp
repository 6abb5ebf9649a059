// A rooted spanning tree that can be cut and hung elsewhere, for the network simplex.
//
// Nodes are kept in preorder on a circular list, so that a subtree is a run of `size` nodes that starts at its top.
// Walking such a run is all that a change of potentials needs, and moving it costs a few links.
#pragma once

#include <vector>

namespace hott {

class Tree {
  public:
    static constexpr int none = -1;

    // Every node alone.
    void reset(int count) {
        place_.assign(count, {none, 1});
        next_.resize(count);
        previous_.resize(count);
        last_.resize(count);
        for (int k = 0; k < count; ++k) next_[k] = previous_[k] = last_[k] = k;
    }

    int parent(int node) const { return place_[node].parent; }
    int size(int node) const { return place_[node].size; }
    int next(int node) const { return next_[node]; }
    int previous(int node) const { return previous_[node]; }

    // Hangs the tree on whose top `node` is below `parent`, as its first child. Sizes above are the caller's to add.
    void hang(int node, int parent) {
        const int after = next_[parent], end = last_[node];
        link(parent, node);
        link(end, after);
        place_[node].parent = parent;
        for (int k = parent; k != none && last_[k] == parent; k = place_[k].parent) last_[k] = end;
    }

    // Cuts the subtree below `node` off, and makes it a tree of its own.
    void cut(int node) {
        const int before = previous_[node], end = last_[node];
        link(before, next_[end]);
        link(end, node);
        for (int k = place_[node].parent; k != none && last_[k] == end; k = place_[k].parent) last_[k] = before;
    }

    // Turns the tree below `old_top`, which was cut off, so that `top` is on top. Calls `reversed(node)` for the nodes
    // between, from `top` on: the arc to their parent becomes their parent's arc to them.
    template <class Reversed>
    void turn(int top, int old_top, Reversed reversed) {
        const int total = place_[old_top].size;
        int node = top, parent = none, below = 0;      // `below`: size of the part already taken out
        int tail = last_[top];                         // of the new preorder so far
        int end = tail, rest = next_[tail];            // where the part taken out ended, and what came after it
        int before = previous_[top];                   // and before it
        for (;;) {
            const Place old = place_[node];
            reversed(node);
            place_[node] = {parent, total - below};
            if (node == old_top) break;
            below = old.size;
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
        for (; node != none; node = place_[node].parent) last_[node] = tail;
    }

    // Adds `amount` to the size of `node` and of all above it, up to but without `end`.
    void grow(int node, int end, int amount) {
        for (; node != end; node = place_[node].parent) place_[node].size += amount;
    }

  private:
    struct Place {
        int parent, size;
    };

    void link(int first, int second) {
        next_[first] = second;
        previous_[second] = first;
    }

    std::vector<Place> place_;
    std::vector<int> next_, previous_, last_;
};

}  // namespace hott
