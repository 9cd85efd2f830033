//! Carries the trials of a grid out elsewhere, several at once: each block on one node, so that differences between nodes cancel.
//!
//! What begins a trial there, and takes what comes of it, is a [`Fleet`]. Here is which trial is begun next, and what becomes of one
//! that has ended: the same record, the same order within blocks, the same rules for points that fail as of trials on this machine.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use numawise_facts::{Event, Point, PointId, Sink, StopReason, Study, Trial};
use numawise_units::Nanoseconds;

use crate::engine::{
    Engine, NextTrial, Standing, last_block, next_block, nothing_left_to_compare, order_of, trials_spent,
};
use crate::error::StudyError;
use crate::spending::Spending;

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;

/// Which trial it is of those of a study.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrialPlace {
    pub block: u32,
    pub point: PointId,
}

impl TrialPlace {
    pub fn of(trial: &Trial) -> TrialPlace {
        TrialPlace { block: trial.block, point: trial.point.clone() }
    }
}

/// Where trials are carried out, and how they come back.
pub trait Fleet {
    /// Trials that were begun and are not kept, also by whom the study was run before.
    fn under_way(&self) -> Vec<TrialPlace>;

    /// How many more may be begun now.
    fn room(&self) -> usize;

    /// On how many nodes blocks can run side by side; at least 1.
    fn nodes(&self) -> usize;

    /// Begins a trial. False where that is not possible for now.
    ///
    /// # Errors
    /// When it cannot be begun at all.
    fn begin(
        &mut self,
        study: &Study,
        block: u32,
        point: &Point,
        sink: &mut dyn Sink,
    ) -> Result<bool, StudyError>;

    /// A trial that has ended, with any number; waits for one, but not for long.
    ///
    /// # Errors
    /// When none can be carried out any more.
    fn wait(&mut self, sink: &mut dyn Sink) -> Result<Option<Trial>, StudyError>;

    /// The trial that came last is kept: what it left is needed no more.
    fn kept(&mut self, trial: &Trial);

    /// Ends all that is under way.
    fn cancel(&mut self, sink: &mut dyn Sink);
}

/// Says by the trials so far which point comes next.
pub type Chooser<'a> = &'a mut dyn FnMut(&Study) -> NextTrial;

/// A block beyond the repeats, and the points that are known well enough without it.
type FurtherBlock = Option<(u32, Vec<PointId>)>;

/// What a study wants of its fleet.
#[derive(Debug, PartialEq)]
enum Wanted {
    Trial(u32, Box<Point>),
    /// Nothing before one of those under way has ended.
    Wait,
    End(StopReason),
}

impl Engine<'_> {
    /// Runs what a study lacks as trials of a fleet, as many at once as it has room for, and says why it stopped. With `choose` one after the
    /// other as it says by those before.
    ///
    /// # Errors
    /// When trials cannot be carried out, or one cannot be kept. Trials kept before stay in `study`; those under way stay there.
    pub fn run_fleet(
        &mut self,
        study: &mut Study,
        fleet: &mut dyn Fleet,
        mut choose: Option<Chooser<'_>>,
    ) -> Result<StopReason, StudyError> {
        let spending = Spending::new(self.clock, study, 0);
        let mut further = None;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                // What has ended meanwhile is not lost.
                while let Some(trial) = fleet.wait(&mut *self.sink)? {
                    self.keep_of_fleet(study, trial, fleet)?;
                }
                fleet.cancel(&mut *self.sink);
                return Ok(StopReason::Interrupted);
            }
            let mut wanted = wanted(study, fleet, &mut choose, &further);
            if wanted == Wanted::End(StopReason::Decided)
                && choose.is_none()
                && let Standing::Open { known } = (self.standing)(study, &[])
            {
                // All repeats are there, and some points are to be known better.
                further = Some((last_block(study) + 1, known));
                wanted = self::wanted(study, fleet, &mut choose, &further);
            }
            let has_time = spending.left(&study.header) > Nanoseconds(0)
                && (study.trials.is_empty() || !trials_spent(study, fleet.under_way().len()));
            match wanted {
                Wanted::End(reason) => return Ok(reason),
                Wanted::Trial(..) if !has_time && fleet.under_way().is_empty() => {
                    return Ok(StopReason::BudgetSpent);
                }
                Wanted::Trial(block, point) if has_time && fleet.room() > 0 => {
                    if fleet.begin(study, block, &point, &mut *self.sink)? {
                        continue;
                    }
                }
                Wanted::Trial(..) | Wanted::Wait => {}
            }
            if let Some(trial) = fleet.wait(&mut *self.sink)? {
                self.keep_of_fleet(study, trial, fleet)?;
            }
        }
    }

    fn keep_of_fleet(
        &mut self,
        study: &mut Study,
        mut trial: Trial,
        fleet: &mut dyn Fleet,
    ) -> Result<(), StudyError> {
        // Who ran the study before may have been killed between keeping it and saying so.
        let is_there = study.trials.iter().any(|kept| {
            kept.started == trial.started && kept.block == trial.block && kept.point == trial.point
        });
        if is_there || study.header.point(&trial.point).is_none() {
            fleet.kept(&trial);
            return Ok(());
        }
        trial.number = study.trials.last().map_or(0, |trial| trial.number + 1);
        self.keep.keep(&trial).map_err(StudyError::Store)?;
        fleet.kept(&trial);
        study.trials.push(trial);
        self.tell(study);
        self.sink.event(Event::TrialsKept { trials: study.trials_beyond_warm_up() as u32 });
        Ok(())
    }
}

/// What comes next. The warm-up is alone.
fn wanted(
    study: &Study,
    fleet: &dyn Fleet,
    choose: &mut Option<Chooser<'_>>,
    further: &FurtherBlock,
) -> Wanted {
    let under_way: HashSet<TrialPlace> = fleet.under_way().into_iter().collect();
    let waits = !under_way.is_empty();
    if study.trials.is_empty() {
        return match study.header.baseline() {
            _ if waits => Wanted::Wait,
            Some(baseline) => Wanted::Trial(0, Box::new(baseline.clone())),
            None => Wanted::End(StopReason::TooManyFailures),
        };
    }
    if nothing_left_to_compare(study) {
        return if waits { Wanted::Wait } else { Wanted::End(StopReason::TooManyFailures) };
    }
    match choose {
        Some(_) if waits => Wanted::Wait,
        Some(choose) => chosen(study, choose(study)),
        None => match missing(study, fleet.nodes(), &under_way, further) {
            Some((block, point)) => Wanted::Trial(block, Box::new(point)),
            None if waits => Wanted::Wait,
            None => Wanted::End(StopReason::Decided),
        },
    }
}

fn chosen(study: &Study, next: NextTrial) -> Wanted {
    let id = match next {
        NextTrial::Run(id) => id,
        NextTrial::End(reason) => return Wanted::End(reason),
    };
    let Some(point) = study.header.point(&id) else { return Wanted::End(StopReason::TooManyFailures) };
    Wanted::Trial(next_block(study, &id), Box::new(point.clone()))
}

/// Of the blocks that can run side by side on so many nodes the one of which the fewest trials are under way, and its next trial.
fn missing(
    study: &Study,
    nodes: usize,
    under_way: &HashSet<TrialPlace>,
    further: &FurtherBlock,
) -> Option<(u32, Point)> {
    let done = Study::done(study.trials.iter());
    let points = &study.header.points;
    let given_up = study.all_given_up();
    let needed: Vec<bool> = points.iter().map(|point| !given_up.contains(&point.id)).collect();
    let mut fewest: Option<(usize, u32, usize)> = None;
    let mut open = 0;
    let no_point = Vec::new();
    let further = further.iter().map(|(block, known)| (*block, known));
    for (block, known) in (1..=study.header.min_repeats).map(|block| (block, &no_point)).chain(further) {
        let lacks = |index: &usize| {
            let id = &points[*index].id;
            needed[*index] && !known.contains(id) && !done.contains(&(id, block))
        };
        let lacking = order_of(study, block).into_iter().filter(lacks);
        let (begun, not_begun): (Vec<usize>, Vec<usize>) = lacking
            .partition(|index| under_way.contains(&TrialPlace { block, point: points[*index].id.clone() }));
        if begun.is_empty() && not_begun.is_empty() {
            continue;
        }
        if let Some(index) = not_begun.first()
            && fewest.is_none_or(|(least, ..)| begun.len() < least)
        {
            fewest = Some((begun.len(), block, *index));
        }
        open += 1;
        if open >= nodes {
            break;
        }
    }
    fewest.map(|(_, block, index)| (block, points[index].clone()))
}
