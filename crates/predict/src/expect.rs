//! What a search may expect of each point, from the trials that it has.

use std::collections::BTreeMap;

use numawise_facts::{PointId, Study};
use numawise_stats::Guess;

use crate::choose::most_telling;
use crate::fit::Fit;
use crate::predict::{Known, predicted};
use crate::shape::PointShape;

/// So many points are tried before something is expected, as for a prediction.
pub(crate) const FIRST: usize = 8;

/// The points that a search tries first, of the largest group of points that differ in threads and placement only. None where it has too few
/// for a model of the program to save runs.
pub fn first_of_search(study: &Study) -> Vec<PointId> {
    let known = Known::of(&Study { trials: Vec::new(), ..study.clone() });
    let mut groups = BTreeMap::<&[u32], Vec<usize>>::new();
    for (place, group) in known.groups.iter().enumerate().filter(|(place, _)| known.shapes[*place].is_ok()) {
        groups.entry(group).or_default().push(place);
    }
    // Of equal ones the first, which has the baseline.
    let Some(places) = groups.into_values().rev().max_by_key(Vec::len).filter(|of| of.len() > 2 * FIRST)
    else {
        return Vec::new();
    };
    let shapes: Vec<&PointShape> =
        places.iter().filter_map(|place| known.shapes[*place].as_ref().ok()).collect();
    let telling = most_telling(&known.capacities, &shapes, FIRST);
    telling.into_iter().map(|one| study.header.points[places[one]].id.clone()).collect()
}

/// For each point of a study, the logarithm of its time (of one over its rate) without noise: of a point that was run, as the others say.
/// `None` where the runs do not tell.
///
/// Points that differ in more than threads and placement have a fit of their own where enough of them were run; else that of the group with
/// most runs, which a search corrects by what it sees.
pub fn expectations(study: &Study) -> Vec<Option<Guess>> {
    let known = Known::of(study);
    let fits = known.fits();
    let richest = fits.values().max_by_key(|(places, _)| places.len());
    let guess = |place: usize| {
        let shape = known.shapes[place].as_ref().ok()?;
        let (places, fit) = fits.get(known.groups[place].as_slice()).or(richest)?;
        Some(expected(fit, shape, places.iter().position(|other| *other == place)))
    };
    (0..known.shapes.len()).map(guess).collect()
}

/// Half of a 95 % interval is so many standard deviations.
const HALF: f64 = 1.96;

pub(crate) fn expected(fit: &Fit, shape: &PointShape, own: Option<usize>) -> Guess {
    let interval = predicted(fit, shape, own, 0.0);
    Guess { mean: interval.middle, sd: (interval.high - interval.low) / (2.0 * HALF) }
}
