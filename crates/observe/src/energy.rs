//! The energy that the machine's processors and memory take while a trial runs.

use std::time::{Duration, Instant};

use numawise_facts::Reading;
use numawise_linux::Roots;
use numawise_linux::energy::{EnergyProblem, EnergyZone, zones};
use numawise_units::Microjoules;

#[cfg(test)]
#[path = "energy_tests.rs"]
mod tests;

/// Counters are looked at so often: the smallest that are known begin again after 65 kJ, which no package takes within a minute.
const PAUSE: Duration = Duration::from_secs(20);

/// Counters, and what was taken since they were first looked at.
#[derive(Debug)]
pub(crate) struct EnergyMeter {
    counted: Result<Vec<Counted>, String>,
    looked: Instant,
}

#[derive(Debug)]
struct Counted {
    zone: EnergyZone,
    last: Microjoules,
    taken: Microjoules,
}

impl EnergyMeter {
    pub fn start(roots: &Roots) -> EnergyMeter {
        let counted = |zone: EnergyZone| -> Result<Counted, EnergyProblem> {
            Ok(Counted { last: zone.read()?, taken: Microjoules(0), zone })
        };
        let all = zones(roots).and_then(|zones| zones.into_iter().map(counted).collect());
        EnergyMeter { counted: all.map_err(|problem| problem.to_string()), looked: Instant::now() }
    }

    /// Looks at the counters where that is due: to be called now and then, so that none begins again twice unseen.
    pub fn go_on(&mut self) {
        if self.looked.elapsed() >= PAUSE {
            self.look();
        }
    }

    /// What all of them have counted since the start.
    pub fn taken(&mut self) -> Reading<Microjoules> {
        self.look();
        let sum = |all: &Vec<Counted>| all.iter().fold(Microjoules(0), |sum, one| sum + one.taken);
        self.counted.as_ref().map(sum).map_err(Clone::clone).into()
    }

    fn look(&mut self) {
        self.looked = Instant::now();
        let Ok(all) = &mut self.counted else { return };
        for one in all {
            let taken = one.zone.read().and_then(|now| Ok((now, one.zone.taken(one.last, now)?)));
            match taken {
                Ok((now, taken)) => (one.last, one.taken) = (now, one.taken + taken),
                // A sum without a part would be too small.
                Err(problem) => {
                    self.counted = Err(problem.to_string());
                    return;
                }
            }
        }
    }
}
