//! The contrasts of a study, judged all at once.

use numawise_facts::{Effect, Metric, Pair, PointId, Study};
use numawise_stats::{Better, Design, Estimate, Family, Standing};
use numawise_tables::{Contrast, ContrastCall};
use numawise_units::Ratio;

use crate::samples;

/// Probability that all intervals of a check hold their true ratios.
const CONFIDENCE: f64 = 0.95;

/// The step of the clock that times trials, in seconds.
const CLOCK: f64 = 1e-9;

/// The contrasts in the words of the report, and the family as `stats` gave it.
pub struct Judged {
    pub contrasts: Vec<Contrast>,
    pub family: Option<Family>,
    pub design: Design,
}

impl Judged {
    /// True when the interval of the contrast with this index is as narrow as it needs to be.
    pub fn settled(&self, index: usize) -> bool {
        self.family.as_ref().is_some_and(|family| family.contrasts[index].settled)
    }

    pub fn contrast(&self, from: &PointId, to: &PointId) -> Option<&Contrast> {
        self.contrasts.iter().find(|c| c.from == *from && c.to == *to)
    }
}

/// Judges every pair of the study.
pub fn judge(study: &Study) -> Judged {
    let header = &study.header;
    let index = |id: &PointId| header.points.iter().position(|point| point.id == *id);
    let known: Vec<(&Pair, (usize, usize))> =
        header.pairs.iter().filter_map(|pair| Some((pair, (index(&pair.from)?, index(&pair.to)?)))).collect();
    let pairs = known.iter().map(|(_, columns)| *columns).collect();
    let resolution = matches!(header.metric, Metric::WallTime).then_some(CLOCK);
    let design = Design { pairs, margin: header.margin, confidence: CONFIDENCE, resolution };
    let better = if header.metric.higher_is_better() { Better::Higher } else { Better::Lower };
    let family = if design.pairs.is_empty() {
        Err("there is nothing to compare".to_owned())
    } else {
        numawise_stats::analyse(&design, &samples::blocks(study), better).map_err(|e| e.to_string())
    };
    let contrasts = known.iter().enumerate().map(|(k, (pair, _))| {
        let judged = family.as_ref().map(|family| &family.contrasts[k]);
        let estimate =
            judged.map_err(Clone::clone).and_then(|c| c.estimate.as_ref().map_err(ToString::to_string));
        let effect = |e: &Estimate| Effect { ratio: Ratio(e.ratio), low: Ratio(e.low), high: Ratio(e.high) };
        Contrast {
            from: pair.from.clone(),
            to: pair.to.clone(),
            effect: estimate.map(effect).into(),
            call: judged.map_or(ContrastCall::Open, |c| call(c.standing)),
            repeats: judged.map_or(0, |c| c.blocks as u32),
        }
    });
    let contrasts = contrasts.collect();
    Judged { contrasts, family: family.ok(), design }
}

fn call(standing: Standing) -> ContrastCall {
    match standing {
        Standing::Better => ContrastCall::Better,
        Standing::Worse => ContrastCall::Worse,
        Standing::Equivalent => ContrastCall::Same,
        Standing::Open => ContrastCall::Open,
    }
}
