//! When to sample next, so that sampling stays within its budget. Pure: time comes in as an argument.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

/// A trial shorter than this is allowed what one of this length would be: else there would be no sample at all.
const GRACE: Nanoseconds = Nanoseconds(200_000_000);

/// What can be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// Sample the threads.
    Threads,
    /// Go on with the residency sample.
    Residency,
}

/// The budget of a watch, and the shares of it that the samples of threads and of residency have.
#[derive(Debug, Clone)]
pub(crate) struct SamplingPlan {
    all: Account,
    threads: Account,
    residency: Account,
    /// What the present residency sample has cost.
    round: Nanoseconds,
    /// No step is free.
    is_strict: bool,
}

impl SamplingPlan {
    /// `rate` is the CPU time for each unit of wall time, `spent` what was used already, `share` what of it the residency
    /// samples may have at first.
    pub fn new(rate: f64, spent: Nanoseconds, share: f64) -> Self {
        let ms = |ms: u64| Nanoseconds(ms * 1_000_000);
        SamplingPlan {
            all: Account::new(rate, spent, ms(0)),
            threads: Account::new(rate * (1.0 - share), Nanoseconds(0), ms(RAMP[0])),
            residency: Account::new(rate * share, Nanoseconds(0), ms(RAMP[1])),
            round: Nanoseconds(0),
            is_strict: false,
        }
    }

    /// The same for a trial that is compared with others: the rate holds from its begin on, and for a first step too, which is expected to cost
    /// `first`.
    pub fn strict(rate: f64, spent: Nanoseconds, first: Nanoseconds, share: f64) -> Self {
        let mut plan = SamplingPlan::new(rate, spent, share);
        for account in [&mut plan.all, &mut plan.threads, &mut plan.residency] {
            account.grace = Nanoseconds(0);
            account.estimate = first;
        }
        SamplingPlan { is_strict: true, ..plan }
    }

    /// What comes next, and when.
    pub fn next(&self) -> (StepKind, Nanoseconds) {
        let (threads, residency) = (self.due(&self.threads), self.due(&self.residency));
        if threads <= residency { (StepKind::Threads, threads) } else { (StepKind::Residency, residency) }
    }

    /// The first step of each kind need not be paid for: one must be made to know what it costs.
    fn due(&self, account: &Account) -> Nanoseconds {
        match account.spent.0 {
            0 if !self.is_strict => account.wanted,
            _ => account.due().max(self.all.affords(account.estimate)),
        }
    }

    /// What the next step may cost at `now`.
    pub fn allowance(&self, kind: StepKind, now: Nanoseconds) -> Nanoseconds {
        let account = match kind {
            StepKind::Threads => &self.threads,
            StepKind::Residency => &self.residency,
        };
        account.allowance(now).min(self.all.allowance(now))
    }

    /// Books a sample of the threads; the next needs `estimate`.
    pub fn sampled_threads(&mut self, now: Nanoseconds, cost: Nanoseconds, estimate: Nanoseconds) {
        self.all.spent = self.all.spent + cost;
        self.threads.charge(cost, next_thread_sample(now), estimate);
    }

    /// Books a part of a residency sample that needs `estimate` to go on.
    pub fn sampled_some_residency(&mut self, now: Nanoseconds, cost: Nanoseconds, estimate: Nanoseconds) {
        self.all.spent = self.all.spent + cost;
        self.round = self.round + cost;
        self.residency.charge(cost, now, estimate);
    }

    /// Books the last part of a residency sample, and gives what it does not need to the threads.
    pub fn sampled_residency(&mut self, now: Nanoseconds, cost: Nanoseconds, estimate: Nanoseconds) {
        self.sampled_some_residency(now, cost, estimate);
        let next = next_residency_sample(now);
        self.residency.wanted = next;
        let needed = self.round.0 as f64 / next.saturating_sub(now).0 as f64 / self.all.rate;
        let share = (1.25 * needed).clamp(0.1, 0.5);
        self.residency.rate = self.all.rate * share;
        self.threads.rate = self.all.rate * (1.0 - share);
        self.round = Nanoseconds(0);
    }
}

/// CPU time granted to one kind of sample, and what it has used. All times count from the start of the watch.
#[derive(Debug, Clone)]
struct Account {
    /// CPU time for each unit of wall time.
    rate: f64,
    spent: Nanoseconds,
    /// What the next step needs at least.
    estimate: Nanoseconds,
    /// When the next step is wanted.
    wanted: Nanoseconds,
    /// Until then there is as much to spend as there will be at that time.
    grace: Nanoseconds,
}

impl Account {
    fn new(rate: f64, spent: Nanoseconds, wanted: Nanoseconds) -> Self {
        Account { rate, spent, estimate: Nanoseconds(0), wanted, grace: GRACE }
    }

    /// When the next step may run: as soon as it is wanted and paid for.
    fn due(&self) -> Nanoseconds {
        self.wanted.max(self.affords(self.estimate))
    }

    /// When a step of this cost is paid for.
    fn affords(&self, cost: Nanoseconds) -> Nanoseconds {
        let paid = Nanoseconds(((self.spent + cost).0 as f64 / self.rate).ceil() as u64);
        if paid <= self.grace { Nanoseconds(0) } else { paid }
    }

    /// What is left to spend at `now`.
    fn allowance(&self, now: Nanoseconds) -> Nanoseconds {
        let allowed = Nanoseconds((now.max(self.grace).0 as f64 * self.rate) as u64);
        allowed.saturating_sub(self.spent)
    }

    /// Books a step, and says when the next is wanted and what it will need.
    fn charge(&mut self, cost: Nanoseconds, wanted: Nanoseconds, estimate: Nanoseconds) {
        self.spent = self.spent + cost;
        self.wanted = wanted;
        self.estimate = estimate;
    }
}

/// When threads are sampled first, in milliseconds: dense at the beginning, so that short programs are seen too.
const RAMP: [u64; 5] = [2, 5, 10, 20, 40];

/// Never more often than this once the beginning is over: the scheduler moves threads at ticks of 1 to 10 ms.
const STEADY: Nanoseconds = Nanoseconds(20_000_000);

/// When the next sample of the threads is wanted after one at `now`.
fn next_thread_sample(now: Nanoseconds) -> Nanoseconds {
    let ramp = RAMP.iter().map(|&ms| Nanoseconds(ms * 1_000_000)).find(|&at| at > now);
    ramp.unwrap_or(now + STEADY)
}

/// When the next residency sample is wanted after one at `now`: half as late again, so that at most a third of a
/// program's life lies behind the last one, and at least once in a second.
fn next_residency_sample(now: Nanoseconds) -> Nanoseconds {
    let gap = Nanoseconds((now.0 / 2).clamp(10_000_000, 1_000_000_000));
    now + gap
}
