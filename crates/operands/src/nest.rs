//! Loops of a function, from its jumps alone: basic blocks, dominators (Cooper, Harvey, Kennedy: A simple, fast dominance algorithm, 2001), natural
//! loops and how they lie in one another.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::listing::Listing;
use crate::registers::RegisterSet;
use crate::step::{Flow, Step};

#[cfg(test)]
#[path = "nest_tests.rs"]
mod tests;

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The instruction where each pass begins, by its number in the listing.
    pub head: usize,
    /// The loop around it, by its number in the nest.
    pub parent: Option<usize>,
    /// 1: no loop is around it.
    pub depth: u32,
    /// No loop is in it.
    pub is_innermost: bool,
    /// Its instructions, those of loops in it too, as ranges of numbers in the listing, in their order.
    pub steps: Vec<Range<usize>>,
    /// Instructions of it, in no loop inside of it.
    own: Vec<Range<usize>>,
}

impl Loop {
    /// Its instructions that are in no loop inside of it, by their numbers in the listing.
    pub fn own_steps(&self) -> impl Iterator<Item = usize> {
        self.own.iter().cloned().flatten()
    }
}

/// The loops of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nest {
    /// Each behind the one around it.
    pub loops: Vec<Loop>,
    /// Jumps back into the middle of what would be a loop: several ways lead into it, and it is not among `loops`.
    pub irreducible: usize,
    /// The first instruction of each block, with the innermost loop that it is in.
    blocks: Vec<(usize, Option<u32>)>,
    pub(crate) graph: Graph,
}

impl Nest {
    pub fn of(listing: &Listing) -> Nest {
        let graph = Graph::of(listing);
        let order = graph.reverse_postorder();
        let dominators = graph.dominators(&order);
        let mut heads: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut irreducible = 0;
        for &from in &order.blocks {
            for &to in graph.behind(from) {
                if order.number[to] > order.number[from] {
                    continue;
                }
                if !dominators.dominates(to, from, &order) {
                    irreducible += 1;
                } else {
                    heads.entry(to).or_default().push(from);
                }
            }
        }
        let bodies = heads.into_iter().map(|(head, latches)| (head, graph.body(head, latches, &order)));
        let mut bodies: Vec<(usize, Vec<usize>)> = bodies.collect();
        // A loop in another one has fewer blocks.
        bodies.sort_by_key(|(head, body)| (std::cmp::Reverse(body.len()), *head));
        let mut innermost: Vec<Option<u32>> = vec![None; graph.begins.len()];
        let mut loops: Vec<Loop> = Vec::new();
        for (number, (head, body)) in bodies.iter().enumerate() {
            let parent = innermost[*head].map(|parent| parent as usize);
            let depth = parent.map_or(0, |parent| loops[parent].depth) + 1;
            if let Some(parent) = parent {
                loops[parent].is_innermost = false;
            }
            body.iter().for_each(|block| innermost[*block] = Some(number as u32));
            let steps = joined(body.iter().map(|block| graph.steps(*block)));
            loops.push(Loop {
                head: graph.begins[*head],
                parent,
                depth,
                is_innermost: true,
                steps,
                own: Vec::new(),
            });
        }
        for (number, of) in loops.iter_mut().enumerate() {
            let own = bodies[number].1.iter().filter(|block| innermost[**block] == Some(number as u32));
            of.own = joined(own.map(|block| graph.steps(*block)));
        }
        let blocks = graph.begins.iter().copied().zip(innermost).collect();
        Nest { loops, irreducible, blocks, graph }
    }

    /// The innermost loop around an instruction, by its number.
    pub fn around(&self, step: usize) -> Option<usize> {
        let block = self.blocks.partition_point(|(begin, _)| *begin <= step).checked_sub(1)?;
        self.blocks[block].1.map(|number| number as usize)
    }
}

/// Ranges that touch become one.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = ranges.collect();
    ranges.sort_by_key(|range| range.start);
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

/// Basic blocks, by their numbers in the order of the code, and the ways between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    /// The first instruction of each, and behind the last one.
    begins: Vec<usize>,
    end: usize,
    behind: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

/// Blocks that the entry leads to.
struct Order {
    blocks: Vec<usize>,
    /// The place of each block among them; `usize::MAX`: the entry does not lead to it.
    number: Vec<usize>,
}

impl Order {
    fn is_reached(&self, block: usize) -> bool {
        self.number[block] != usize::MAX
    }
}

impl Graph {
    fn of(listing: &Listing) -> Graph {
        let steps = listing.steps();
        let mut is_begin = vec![false; steps.len()];
        is_begin.iter_mut().take(1).for_each(|first| *first = true);
        for (number, step) in steps.iter().enumerate() {
            let ends = !matches!(step.flow, Flow::Next | Flow::Call);
            if let (Flow::Jump(to) | Flow::Branch(to), true) = (step.flow, ends)
                && let Some(to) = listing.find(to)
            {
                is_begin[to] = true;
            }
            if (ends || listing.behind(number).is_none())
                && let Some(next) = is_begin.get_mut(number + 1)
            {
                *next = true;
            }
        }
        let begins: Vec<usize> = (0..steps.len()).filter(|step| is_begin[*step]).collect();
        let block_of = |step: usize| begins.binary_search(&step).ok();
        let mut behind: Vec<Vec<usize>> = Vec::with_capacity(begins.len());
        for (block, _) in begins.iter().enumerate() {
            let last = begins.get(block + 1).map_or(steps.len(), |next| *next) - 1;
            let target = |to| listing.find(to).and_then(block_of);
            let next = || listing.behind(last).and_then(block_of);
            let mut ways: Vec<usize> = match steps[last].flow {
                Flow::Next | Flow::Call => next().into_iter().collect(),
                Flow::Jump(to) => target(to).into_iter().collect(),
                Flow::Branch(to) => target(to).into_iter().chain(next()).collect(),
                Flow::Away => Vec::new(),
            };
            ways.dedup();
            behind.push(ways);
        }
        let mut graph = Graph { before: Vec::new(), begins, end: steps.len(), behind };
        graph.before = graph.turned();
        graph.join_tables(steps);
        graph
    }

    /// Where a table of jumps leads, the code alone does not say: to the blocks that nothing else leads to.
    fn join_tables(&mut self, steps: &[Step]) {
        let by_table = |block: &usize| is_indirect(&steps[self.steps(*block).end - 1]);
        let tables: Vec<usize> = (0..self.begins.len()).filter(by_table).collect();
        let targets: Vec<usize> =
            (1..self.begins.len()).filter(|block| self.before[*block].is_empty()).collect();
        for table in tables {
            self.behind[table].extend_from_slice(&targets);
        }
        self.before = self.turned();
    }

    fn turned(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.begins.len()];
        for (from, ways) in self.behind.iter().enumerate() {
            ways.iter().for_each(|to| before[*to].push(from));
        }
        before
    }

    /// Blocks that come behind a block.
    pub fn behind(&self, block: usize) -> &[usize] {
        &self.behind[block]
    }

    /// Blocks that come before a block.
    pub fn before(&self, block: usize) -> &[usize] {
        &self.before[block]
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.begins.len()
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, step: usize) -> Option<usize> {
        self.begins.partition_point(|begin| *begin <= step).checked_sub(1)
    }

    pub fn steps(&self, block: usize) -> Range<usize> {
        self.begins[block]..self.begins.get(block + 1).map_or(self.end, |next| *next)
    }

    fn reverse_postorder(&self) -> Order {
        let mut blocks = Vec::new();
        let mut is_seen = vec![false; self.begins.len()];
        let mut open: Vec<(usize, usize)> = Vec::new();
        if let Some(first) = is_seen.first_mut() {
            *first = true;
            open.push((0, 0));
        }
        while let Some((block, way)) = open.last_mut() {
            let next = self.behind[*block].get(*way).copied();
            *way += 1;
            match next {
                Some(next) if !is_seen[next] => {
                    is_seen[next] = true;
                    open.push((next, 0));
                }
                Some(_) => {}
                None => {
                    blocks.push(*block);
                    open.pop();
                }
            }
        }
        blocks.reverse();
        let mut number = vec![usize::MAX; self.begins.len()];
        blocks.iter().enumerate().for_each(|(place, block)| number[*block] = place);
        Order { blocks, number }
    }

    fn dominators(&self, order: &Order) -> Dominators {
        let mut nearest = vec![usize::MAX; self.begins.len()];
        nearest.iter_mut().take(1).for_each(|first| *first = 0);
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for &block in order.blocks.iter().skip(1) {
                let known =
                    self.before[block].iter().copied().filter(|before| nearest[*before] != usize::MAX);
                let common = known.reduce(|one, other| common(one, other, &nearest, order));
                let Some(common) = common else { continue };
                is_changed |= nearest[block] != common;
                nearest[block] = common;
            }
        }
        Dominators { nearest }
    }

    /// The blocks of a loop: those that lead to its latches, and that its head leads to.
    fn body(&self, head: usize, latches: Vec<usize>, order: &Order) -> Vec<usize> {
        let mut is_in = vec![false; self.begins.len()];
        is_in[head] = true;
        let mut body = vec![head];
        let mut open = latches;
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut is_in[block], true) {
                body.push(block);
                open.extend(self.before[block].iter().filter(|before| order.is_reached(**before)));
            }
        }
        body.sort_unstable();
        body
    }
}

/// The last block that all ways to both go through.
fn common(mut one: usize, mut other: usize, nearest: &[usize], order: &Order) -> usize {
    while one != other {
        if order.number[one] > order.number[other] {
            one = nearest[one];
        } else {
            other = nearest[other];
        }
    }
    one
}

struct Dominators {
    /// The last block before each that all ways to it go through.
    nearest: Vec<usize>,
}

impl Dominators {
    /// Whether all ways to a block go through this one.
    fn dominates(&self, this: usize, mut block: usize, order: &Order) -> bool {
        while order.number[block] > order.number[this] {
            block = self.nearest[block];
        }
        block == this
    }
}

/// A jump to where a register or memory says, and no return.
fn is_indirect(step: &Step) -> bool {
    /// The stack pointer of x86-64, which a return moves, and the register of aarch64 that holds where to return to.
    const MOVED_BY_RETURN: u8 = 4;
    const READ_BY_RETURN: u8 = 30;
    step.flow == Flow::Away
        && step.reads != RegisterSet::NONE
        && !step.writes.has(MOVED_BY_RETURN)
        && !step.reads.has(READ_BY_RETURN)
}
