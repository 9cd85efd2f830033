//! When to look next, so that looking stays within its budget. Pure: time comes in as an argument.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

/// A trial shorter than this is allowed what one of this length would be: else there would be no sample at all.
const GRACE: Nanoseconds = Nanoseconds(200_000_000);

/// What can be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Look at the threads.
    Look,
    /// Go on with the census of the pages.
    Census,
}

/// The budget of a watch, and the shares of it that looks and census have.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    all: Account,
    looks: Account,
    pages: Account,
    /// What the present round of the census has cost.
    round: Nanoseconds,
}

impl Plan {
    /// `rate` is the CPU time for each unit of wall time, `spent` what was used already, `share` what of it the census
    /// may have at first.
    pub fn new(rate: f64, spent: Nanoseconds, share: f64) -> Self {
        let ms = |ms: u64| Nanoseconds(ms * 1_000_000);
        Plan {
            all: Account::new(rate, spent, ms(0)),
            looks: Account::new(rate * (1.0 - share), Nanoseconds(0), ms(RAMP[0])),
            pages: Account::new(rate * share, Nanoseconds(0), ms(RAMP[1])),
            round: Nanoseconds(0),
        }
    }

    /// What comes next, and when.
    pub fn next(&self) -> (Kind, Nanoseconds) {
        let (look, census) = (self.due(&self.looks), self.due(&self.pages));
        if look <= census { (Kind::Look, look) } else { (Kind::Census, census) }
    }

    /// The first step of each kind need not be paid for: one must be made to know what it costs.
    fn due(&self, account: &Account) -> Nanoseconds {
        match account.spent.0 {
            0 => account.wanted,
            _ => account.due().max(self.all.affords(account.estimate)),
        }
    }

    /// What the next step may cost at `now`.
    pub fn room(&self, kind: Kind, now: Nanoseconds) -> Nanoseconds {
        let account = match kind {
            Kind::Look => &self.looks,
            Kind::Census => &self.pages,
        };
        account.room(now).min(self.all.room(now))
    }

    /// Books a look; the next needs `estimate`.
    pub fn looked(&mut self, now: Nanoseconds, cost: Nanoseconds, estimate: Nanoseconds) {
        self.all.spent = self.all.spent + cost;
        self.looks.charge(cost, next_look(now), estimate);
    }

    /// Books a part of a census that needs `estimate` to go on.
    pub fn counted(&mut self, now: Nanoseconds, cost: Nanoseconds, estimate: Nanoseconds) {
        self.all.spent = self.all.spent + cost;
        self.round = self.round + cost;
        self.pages.charge(cost, now, estimate);
    }

    /// Books the last part of a census, and gives what it does not need to the looks.
    pub fn completed(&mut self, now: Nanoseconds, cost: Nanoseconds, estimate: Nanoseconds) {
        self.counted(now, cost, estimate);
        let next = next_census(now);
        self.pages.wanted = next;
        let needed = self.round.0 as f64 / next.saturating_sub(now).0 as f64 / self.all.rate;
        let share = (1.25 * needed).clamp(0.1, 0.5);
        self.pages.rate = self.all.rate * share;
        self.looks.rate = self.all.rate * (1.0 - share);
        self.round = Nanoseconds(0);
    }
}

/// CPU time granted to one kind of looking, and what it has used. All times count from the start of the watch.
#[derive(Debug, Clone)]
struct Account {
    /// CPU time for each unit of wall time.
    rate: f64,
    spent: Nanoseconds,
    /// What the next step needs at least.
    estimate: Nanoseconds,
    /// When the next step is wanted.
    wanted: Nanoseconds,
}

impl Account {
    fn new(rate: f64, spent: Nanoseconds, wanted: Nanoseconds) -> Self {
        Account { rate, spent, estimate: Nanoseconds(0), wanted }
    }

    /// When the next step may run: as soon as it is wanted and paid for.
    fn due(&self) -> Nanoseconds {
        self.wanted.max(self.affords(self.estimate))
    }

    /// When a step of this cost is paid for.
    fn affords(&self, cost: Nanoseconds) -> Nanoseconds {
        let paid = Nanoseconds(((self.spent + cost).0 as f64 / self.rate).ceil() as u64);
        if paid <= GRACE { Nanoseconds(0) } else { paid }
    }

    /// What is left to spend at `now`.
    fn room(&self, now: Nanoseconds) -> Nanoseconds {
        let allowed = Nanoseconds((now.max(GRACE).0 as f64 * self.rate) as u64);
        allowed.saturating_sub(self.spent)
    }

    /// Books a step, and says when the next is wanted and what it will need.
    fn charge(&mut self, cost: Nanoseconds, wanted: Nanoseconds, estimate: Nanoseconds) {
        self.spent = self.spent + cost;
        self.wanted = wanted;
        self.estimate = estimate;
    }
}

/// When threads are looked at first, in milliseconds: dense at the beginning, so that short programs are seen too.
const RAMP: [u64; 5] = [2, 5, 10, 20, 40];

/// Never more often than this once the beginning is over: the scheduler moves threads at ticks of 1 to 10 ms.
const STEADY: Nanoseconds = Nanoseconds(20_000_000);

/// When the next look at the threads is wanted after one at `now`.
fn next_look(now: Nanoseconds) -> Nanoseconds {
    let ramp = RAMP.iter().map(|&ms| Nanoseconds(ms * 1_000_000)).find(|&at| at > now);
    ramp.unwrap_or(now + STEADY)
}

/// When the next census is wanted after one at `now`: half as late again, so that at most a third of a program's life
/// lies behind the last one, and at least once in a second.
fn next_census(now: Nanoseconds) -> Nanoseconds {
    let gap = Nanoseconds((now.0 / 2).clamp(10_000_000, 1_000_000_000));
    now + gap
}
