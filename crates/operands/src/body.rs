//! The blocks of a loop that has no loop inside, in an order in which each pass goes through them.

use std::ops::Range;

use crate::nest::Nest;

/// Larger loops are not looked into.
const MOST_BLOCKS: usize = 256;

/// What one pass goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    /// The head first, and each before those behind it.
    pub blocks: Vec<BodyBlock>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyBlock {
    /// Numbers in the listing.
    pub steps: Range<usize>,
    /// Blocks of the same pass that may come next.
    pub next: Vec<usize>,
    /// The next pass may begin behind it.
    pub is_latch: bool,
    /// A way leads out of the loop.
    pub leaves: bool,
}

impl Body {
    /// Nothing of a loop with loops inside, with a circle that does not go over its head, and of a very large one.
    pub fn of(nest: &Nest, number: usize) -> Option<Body> {
        let of = nest.loops.get(number).filter(|of| of.is_innermost)?;
        let graph = &nest.graph;
        let mut members = Vec::new();
        for range in &of.steps {
            let first = graph.block_of(range.start)?;
            members.extend(
                (first..graph.count())
                    .take_while(|block| graph.steps(*block).start < range.end)
                    .take(MOST_BLOCKS + 1),
            );
        }
        let head = graph.block_of(of.head)?;
        if members.len() > MOST_BLOCKS {
            return None;
        }
        let in_body = |block: &usize| members.binary_search(block).is_ok();
        let inside =
            |block: usize| graph.behind(block).iter().copied().filter(in_body).filter(|to| *to != head);
        let number = |block: usize| members.binary_search(&block).unwrap_or_default();
        // Ways into each that are not gone yet.
        let mut missing = vec![0; members.len()];
        members.iter().flat_map(|block| inside(*block)).for_each(|to| missing[number(to)] += 1);
        let mut order = vec![head];
        let mut at = 0;
        while let Some(block) = order.get(at).copied() {
            at += 1;
            for to in inside(block) {
                missing[number(to)] -= 1;
                if missing[number(to)] == 0 {
                    order.push(to);
                }
            }
        }
        if order.len() < members.len() {
            return None;
        }
        let mut place = vec![0; members.len()];
        order.iter().enumerate().for_each(|(at, block)| place[number(*block)] = at);
        let block = |block: &usize| {
            let ways = graph.behind(*block);
            BodyBlock {
                steps: graph.steps(*block),
                next: inside(*block).map(|to| place[number(to)]).collect(),
                is_latch: ways.contains(&head),
                leaves: ways.iter().any(|to| !in_body(to)),
            }
        };
        Some(Body { blocks: order.iter().map(block).collect() })
    }

    /// There is one way through.
    #[cfg(test)]
    pub fn is_straight(&self) -> bool {
        self.blocks.iter().all(|block| block.next.len() + usize::from(block.is_latch) == 1)
    }

    /// Whether each pass that comes to its end goes through this block.
    pub fn is_in_each_pass(&self, block: usize) -> bool {
        let mut is_reached = vec![false; self.blocks.len()];
        is_reached[0] = block != 0;
        for (number, of) in self.blocks.iter().enumerate() {
            if !is_reached[number] {
                continue;
            }
            if of.is_latch {
                return false;
            }
            of.next.iter().filter(|next| **next != block).for_each(|next| is_reached[*next] = true);
        }
        true
    }

    pub fn steps(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flat_map(|block| block.steps.clone())
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, step: usize) -> Option<usize> {
        self.blocks.iter().position(|block| block.steps.contains(&step))
    }

    /// The least and the most that a pass can have, where each block has so much.
    pub fn extremes(&self, of_block: &[f64]) -> (f64, f64) {
        let mut least = vec![f64::INFINITY; self.blocks.len()];
        let mut most = vec![f64::NEG_INFINITY; self.blocks.len()];
        let mut all = (f64::INFINITY, f64::NEG_INFINITY);
        (least[0], most[0]) = (0.0, 0.0);
        for (number, of) in self.blocks.iter().enumerate() {
            let (low, high) = (least[number] + of_block[number], most[number] + of_block[number]);
            for next in &of.next {
                least[*next] = least[*next].min(low);
                most[*next] = most[*next].max(high);
            }
            if of.is_latch {
                all = (all.0.min(low), all.1.max(high));
            }
        }
        all
    }
}
