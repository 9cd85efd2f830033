//! What a run does again and again: from one call at a place to the next one there, the same number of times in all ranks. Of all such places, that
//! from which it takes most alike long.

use numawise_tables::snapshot::{OddRepetition, TracePeriod};
use numawise_units::Nanoseconds;

use super::lanes::Lanes;
use super::span;

/// Fewer repetitions are none.
const LEAST: usize = 5;
/// They take so much of the time that is traced.
const COVERED: f64 = 0.5;
/// Their standard deviation is so much of their mean at most.
const ALIKE: f64 = 0.5;
/// Of places that differ by so much more at most, that with most repetitions counts: a step, not five of them.
const AS_ALIKE_TIMES: f64 = 1.5;
const AS_ALIKE: f64 = 0.05;
/// A repetition is odd that differs from the median by so many times what half of them differ by at most, and by so much of the median.
const ODD: f64 = 6.0;
const WORTH_SAYING: f64 = 0.1;
/// So many are named.
const NAMED: usize = 8;

/// Moments that are kept of a trace in slices.
const KEPT: usize = 4 << 20;

/// When the last lane of those that are shown came to a place, each time.
#[derive(Default)]
pub struct Visits {
    places: Vec<Vec<Nanoseconds>>,
    /// Of each lane, how often it came to each place.
    times: Vec<Vec<u32>>,
    /// Places of which there was no room for all.
    pub dropped: Vec<usize>,
}

impl Visits {
    pub fn add(&mut self, lanes: &Lanes<'_>) {
        let places = lanes.places.len();
        self.places.resize(places, Vec::new());
        self.times.resize(lanes.all.len(), Vec::new());
        for lane in lanes.shown() {
            let Some(times) = self.times.get_mut(lane.number as usize) else { continue };
            times.resize(places, 0);
            for call in lane.asked_calls(lanes) {
                let place = lane.place_of(call.site) as usize;
                let Some((visits, time)) = self.places.get_mut(place).zip(times.get_mut(place)) else {
                    continue;
                };
                match visits.get_mut(*time as usize) {
                    Some(last) => *last = (*last).max(call.begin),
                    None => visits.push(call.begin),
                }
                *time = time.saturating_add(1);
            }
        }
        while lanes.slice.is_some() && self.places.iter().map(Vec::len).sum::<usize>() > KEPT {
            let Some(most) = (0..places).max_by_key(|place| self.places.get(*place).map(Vec::len)) else {
                break;
            };
            self.dropped.push(most);
            self.drop_dropped();
        }
        self.drop_dropped();
    }

    fn drop_dropped(&mut self) {
        for place in &self.dropped {
            self.places.get_mut(*place).into_iter().for_each(|visits| *visits = Vec::new());
        }
    }

    /// Of each place to which all come as often.
    fn common(self, lanes: &Lanes<'_>) -> Vec<Vec<Nanoseconds>> {
        let mut all = self.places;
        for (place, visits) in all.iter_mut().enumerate() {
            let mut times =
                lanes.shown().map(|lane| Some(*self.times.get(lane.number as usize)?.get(place)? as usize));
            if !times.all(|times| times == Some(visits.len())) {
                visits.clear();
            }
        }
        all
    }
}

/// Mean and standard deviation over mean.
fn spread(lengths: &[u64]) -> (f64, f64) {
    let count = lengths.len().max(1) as f64;
    let mean = lengths.iter().map(|length| *length as f64).sum::<f64>() / count;
    let square = lengths.iter().map(|length| (*length as f64 - mean).powi(2)).sum::<f64>() / count;
    (mean, square.sqrt() / mean.max(1.0))
}

/// Nothing where the ranks repeat nothing.
pub fn of(lanes: &Lanes<'_>, visits: Visits) -> Option<TracePeriod> {
    let all = span(lanes.begin, lanes.end).0 as f64;
    let candidates = (0u32..).zip(visits.common(lanes)).filter(|(_, visits)| visits.len() > LEAST);
    let rated = candidates.filter_map(|(place, visits)| {
        let lengths: Vec<u64> = visits.windows(2).map(|pair| span(pair[0], pair[1]).0).collect();
        let (mean, differs) = spread(&lengths);
        let is_it = mean * lengths.len() as f64 >= COVERED * all && differs <= ALIKE;
        is_it.then_some((place, differs, visits, lengths))
    });
    let rated: Vec<_> = rated.collect();
    // The mean of several steps scatters less than one: both are compared as means of the whole run.
    let of_mean = |differs: f64, lengths: &Vec<u64>| differs / (lengths.len() as f64).sqrt();
    let least =
        rated.iter().map(|(_, differs, _, lengths)| of_mean(*differs, lengths)).fold(f64::MAX, f64::min);
    let alike = rated.into_iter().filter(|(_, differs, _, lengths)| {
        of_mean(*differs, lengths) <= AS_ALIKE_TIMES * least + of_mean(AS_ALIKE, lengths)
    });
    let (place, _, visits, lengths) = alike.min_by(|one, other| {
        other.2.len().cmp(&one.2.len()).then(one.1.total_cmp(&other.1)).then(one.0.cmp(&other.0))
    })?;
    let mut sorted = lengths.clone();
    sorted.sort_unstable();
    let at = |share: f64| sorted.get(((sorted.len() - 1) as f64 * share).round() as usize).copied();
    let median = at(0.5)?;
    let mut differences: Vec<u64> = lengths.iter().map(|length| length.abs_diff(median)).collect();
    differences.sort_unstable();
    let half = differences.get(differences.len() / 2).copied()?;
    let most = (ODD * half as f64).max(WORTH_SAYING * median as f64);
    let mut odd: Vec<OddRepetition> = (1u64..)
        .zip(lengths.iter().zip(&visits))
        .filter(|(_, (length, _))| length.abs_diff(median) as f64 > most)
        .map(|(number, (length, begin))| OddRepetition {
            number,
            begin: span(lanes.origin, *begin),
            length: Nanoseconds(*length),
        })
        .collect();
    let all_odd = odd.len() as u64;
    odd.sort_by_cached_key(|one| std::cmp::Reverse(one.length.0.abs_diff(median)));
    odd.truncate(NAMED);
    Some(TracePeriod {
        from: lanes.places.get(place as usize)?.clone(),
        begin: span(lanes.origin, *visits.first()?),
        repetitions: lengths.len() as u64,
        median: Nanoseconds(median),
        nine_of_ten: [at(0.05)?, at(0.95)?].map(Nanoseconds),
        odd: all_odd,
        oddest: odd,
    })
}
