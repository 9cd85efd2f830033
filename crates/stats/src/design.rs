//! What a check compares, fixed before its first block: the contrasts, what counts of each, the margin, the confidence.

/// Which way the metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// A time: half is twice as good.
    Lower,
    /// A rate: double is twice as good.
    Higher,
}

/// What the decision takes from a contrast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// A difference in either direction counts.
    BothWays,
    /// Only a gain counts: a loss has another explanation than the one in question.
    GainOnly,
    /// Nothing: it is computed, and nobody waits for it.
    Unjudged,
}

/// A contrast of the design: `other` as compared with `reference`, both indices of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedContrast {
    pub reference: usize,
    pub other: usize,
    pub judgement: Judgement,
}

impl PlannedContrast {
    /// A contrast that counts in either direction.
    pub fn both_ways(reference: usize, other: usize) -> Self {
        Self { reference, other, judgement: Judgement::BothWays }
    }

    pub(crate) fn pair(&self) -> (usize, usize) {
        (self.reference, self.other)
    }
}

/// What is compared, and how surely. Fixed before the first block is run.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyDesign {
    /// The planned contrasts. The family is exactly this list.
    pub contrasts: Vec<PlannedContrast>,
    /// Effects between 1/(1 + margin) and 1 + margin are of no practical importance. A share: 0.03 is 3 %.
    pub margin: f64,
    /// Probability that all intervals of the family hold their true ratios. A share: 0.95 is 95 %.
    pub confidence: f64,
    /// The step of the metric, in its own unit: 0.01 for seconds printed with two decimals; `None`: find it.
    pub resolution: Option<f64>,
}

impl FamilyDesign {
    /// Every other point against point 0, with a margin of 3 % and 95 % confidence.
    pub fn against_baseline(points: usize) -> Self {
        Self {
            contrasts: (1..points).map(|j| PlannedContrast::both_ways(0, j)).collect(),
            margin: 0.03,
            confidence: 0.95,
            resolution: None,
        }
    }
}
