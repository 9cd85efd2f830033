//! The best choice of things that fit into a space together.
//!
//! Exact: a search over take it or leave it, things with the most value for each byte first, in which a branch ends where even a part of the
//! next thing that fills the space to its end would not bring more than what was found (G. B. Dantzig, Discrete-variable extremum problems,
//! Operations Research 5, 1957, has the bound; P. J. Kolesar, A branch and bound algorithm for the knapsack problem, Management Science 13,
//! 1967, the search).

use numawise_units::Arrange;

#[cfg(test)]
#[path = "knapsack_tests.rs"]
mod tests;

/// A thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// Not negative.
    pub value: f64,
    pub size: u64,
}

/// Which to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Indices of the items, in their order.
    pub taken: Vec<usize>,
    /// No other choice has more value; else the search was given up, and this is the best that it found.
    pub is_best: bool,
}

/// The best choice for a space, by so many steps of the search at most.
pub fn best(items: &[Item], space: u64, steps: u32) -> Choice {
    let mut order: Vec<usize> =
        (0..items.len()).filter(|k| items[*k].value > 0.0 && items[*k].size <= space).collect();
    // Infinite for what has no size: the bound of the search needs it first.
    let density = |k: usize| items[k].value / items[k].size as f64;
    order.arrange_by(|one, other| density(*other).total_cmp(&density(*one)).then(one.cmp(other)));
    let sorted: Vec<Item> = order.iter().map(|k| items[*k]).collect();
    let mut search = Search { items: &sorted, best: 0.0, found: Vec::new(), taken: Vec::new(), steps };
    let is_best = search.from(0, 0.0, space);
    let mut taken: Vec<usize> = search.found.iter().map(|k| order[*k]).collect();
    taken.arrange();
    Choice { taken, is_best }
}

struct Search<'a> {
    items: &'a [Item],
    best: f64,
    found: Vec<usize>,
    taken: Vec<usize>,
    steps: u32,
}

impl Search<'_> {
    /// Tries all choices of the items from one on; false where it was given up.
    fn from(&mut self, item: usize, value: f64, space: u64) -> bool {
        if value > self.best {
            self.best = value;
            self.found.clone_from(&self.taken);
        }
        if item == self.items.len() || self.bound(item, value, space) <= self.best {
            return true;
        }
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let Item { value: more, size } = self.items[item];
        if size <= space {
            self.taken.push(item);
            let is_whole = self.from(item + 1, value + more, space - size);
            self.taken.pop();
            if !is_whole {
                return false;
            }
        }
        self.from(item + 1, value, space)
    }

    /// What no choice of the rest exceeds.
    fn bound(&self, from: usize, value: f64, space: u64) -> f64 {
        let (mut value, mut space) = (value, space);
        for item in &self.items[from..] {
            if item.size > space {
                return value + item.value * space as f64 / item.size as f64;
            }
            value += item.value;
            space -= item.size;
        }
        value
    }
}
