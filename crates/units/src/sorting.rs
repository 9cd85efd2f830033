//! Sorting with little code, for what is not in a hurry.
//!
//! The sorts of the standard library are compiled anew for each type and each order, 3 to 7 KB each time; here they are compiled once, for
//! places in a slice. It takes about twice as long: a table of a million rows, or what a running program waits for, is sorted by the standard library.

use std::cmp::Ordering;

#[cfg(test)]
#[path = "sorting_tests.rs"]
mod tests;

/// Sorts a slice; what compares equal keeps its order.
pub trait Arrange<T> {
    /// As [`sort_by`](slice::sort_by).
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// As [`sort_by_cached_key`](slice::sort_by_cached_key): one key of each element is made.
    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// As [`sort`](slice::sort).
    fn arrange(&mut self)
    where
        T: Ord;
}

impl<T> Arrange<T> for [T] {
    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut order = order(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        follow(&mut order, &mut |one, other| self.swap(one, other));
    }

    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let mut order = order(keys.len(), &mut |one, other| keys[one].cmp(&keys[other]));
        follow(&mut order, &mut |one, other| self.swap(one, other));
    }

    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(Ord::cmp);
    }
}

/// The places of the elements in their order.
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

/// Exchanges elements until each is where `order` has it.
fn follow(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for place in 0..order.len() {
        let mut from = order[place];
        // What lay there was moved on by earlier exchanges.
        while from < place {
            from = order[from];
        }
        order[place] = from;
        swap(place, from);
    }
}
