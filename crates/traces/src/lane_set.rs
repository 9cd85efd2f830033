//! Some of all lanes.

use super::lanes::{Lane, Lanes};

/// Some lanes.
#[derive(Debug, Clone, Default)]
pub struct LaneSet {
    /// The first 64 of all: most traces have no others, and there are sets of them without number.
    first: u64,
    others: Box<[u64]>,
}

impl LaneSet {
    fn word(&mut self, word: usize) -> Option<&mut u64> {
        let Some(word) = word.checked_sub(1) else { return Some(&mut self.first) };
        if self.others.len() <= word {
            let mut others = std::mem::take(&mut self.others).into_vec();
            others.resize(word + 1, 0);
            self.others = others.into();
        }
        self.others.get_mut(word)
    }

    pub fn insert(&mut self, lane: u32) {
        self.word((lane / 64) as usize).into_iter().for_each(|word| *word |= 1 << (lane % 64));
    }

    pub fn extend(&mut self, others: &LaneSet) {
        self.first |= others.first;
        if !others.others.is_empty() {
            self.word(others.others.len());
            self.others.iter_mut().zip(&others.others).for_each(|(mine, theirs)| *mine |= theirs);
        }
    }

    fn has(&self, lane: u32) -> bool {
        let word = match (lane / 64).checked_sub(1) {
            None => Some(self.first),
            Some(word) => self.others.get(word as usize).copied(),
        };
        word.is_some_and(|word| word >> (lane % 64) & 1 != 0)
    }

    /// How many ranks these are: each may have several lanes, which lie beside one another.
    pub fn ranks(&self, lanes: &Lanes<'_>) -> u64 {
        let is_in = |lane: &&Lane<'_>| self.has(lane.number);
        let mut ranks: Vec<(usize, u32)> =
            lanes.all.iter().filter(is_in).map(|lane| (lane.world, lane.rank)).collect();
        ranks.dedup();
        ranks.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::LaneSet;

    #[test]
    fn sets_have_lanes_beyond_the_first_word() {
        let (mut one, mut other) = (LaneSet::default(), LaneSet::default());
        [0, 63, 64, 200].into_iter().for_each(|lane| one.insert(lane));
        other.insert(7);
        other.extend(&one);
        one.extend(&LaneSet::default());
        let of = |set: &LaneSet| (0..300).filter(|lane| set.has(*lane)).collect::<Vec<u32>>();
        assert_eq!((of(&one), of(&other)), (vec![0, 63, 64, 200], vec![0, 7, 63, 64, 200]));
    }
}
