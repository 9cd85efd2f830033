use super::*;

const RATE: f64 = 0.004;

fn ms(ms: u64) -> Nanoseconds {
    Nanoseconds(ms * 1_000_000)
}

fn us(us: u64) -> Nanoseconds {
    Nanoseconds(us * 1_000)
}

/// Runs a plan for `end` with looks and censuses of the given costs; gives when looks were made and what all cost.
fn simulate(
    end: Nanoseconds,
    look: Nanoseconds,
    census: Nanoseconds,
    share: f64,
) -> (Vec<Nanoseconds>, u32, Nanoseconds) {
    let mut plan = Plan::new(RATE, Nanoseconds(0), share);
    let (mut looks, mut censuses, mut cost) = (Vec::new(), 0, Nanoseconds(0));
    let mut now = Nanoseconds(0);
    loop {
        let (kind, due) = plan.next();
        now = now.max(due);
        if now >= end {
            return (looks, censuses, cost);
        }
        match kind {
            Kind::Look => {
                plan.looked(now, look, look);
                looks.push(now);
                cost = cost + look;
            }
            Kind::Census => {
                plan.completed(now, census, census);
                censuses += 1;
                cost = cost + census;
            }
        }
    }
}

#[test]
fn cheap_looks_come_as_on_the_ramp() {
    let (looks, censuses, _) = simulate(ms(50), us(20), us(20), 0.15);
    assert_eq!(looks, [ms(2), ms(5), ms(10), ms(20), ms(40)]);
    assert!(censuses >= 1);
}

#[test]
fn the_budget_holds_whatever_the_costs() {
    for end in [ms(200), ms(500), ms(2_000), ms(60_000)] {
        for look in [us(10), us(70), us(300), ms(1)] {
            for census in [us(20), us(100), us(800), ms(8), ms(50)] {
                for share in [0.15, 0.5] {
                    let (looks, censuses, cost) = simulate(end, look, census, share);
                    // What comes before the first census is over is not known beforehand; all else must be paid for.
                    let allowed = Nanoseconds((end.0 as f64 * RATE) as u64).max(look + look + census);
                    assert!(
                        cost <= allowed,
                        "{end} {look} {census} {share}: {cost} > {allowed}, {censuses} censuses"
                    );
                    assert!(!looks.is_empty());
                }
            }
        }
    }
}

#[test]
fn the_budget_is_used_when_there_is_use_for_it() {
    let (_, _, cost) = simulate(ms(10_000), us(200), us(100), 0.5);
    assert!(cost.seconds() > 0.9 * RATE * 10.0, "{cost}");
}

#[test]
fn a_dear_census_does_not_starve_the_looks_nor_they_it() {
    let (looks, censuses, _) = simulate(ms(60_000), us(100), ms(50), 0.5);
    assert!(looks.len() > 500, "{}", looks.len());
    assert!(censuses >= 2, "{censuses}");
}

#[test]
fn what_the_start_cost_is_paid_back() {
    let mut plan = Plan::new(RATE, ms(4), 0.5);
    assert_eq!(plan.next(), (Kind::Look, ms(2)), "the first look comes all the same");
    plan.looked(ms(2), us(100), us(100));
    assert_eq!(plan.next(), (Kind::Census, ms(5)), "and the first census");
    plan.completed(ms(5), us(100), us(100));
    assert!(plan.next().1 >= ms(1075), "{:?}", plan.next());
}

#[test]
fn a_third_of_a_life_lies_behind_the_last_census_at_most() {
    for now in [ms(40), ms(100), ms(1_000)] {
        assert_eq!(next_census(now), Nanoseconds(now.0 / 2 * 3));
    }
    assert_eq!(next_census(ms(5)), ms(15));
    assert_eq!(next_census(ms(60_000)), ms(61_000));
}
