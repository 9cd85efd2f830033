use numawise_facts::Reading;
use numawise_facts::finding::{EvidenceQuantity, EvidenceSource, EvidenceSubject, NoiseQuantity};
use numawise_units::Ratio;

use super::*;

fn said(quantity: NoiseQuantity, share: f64, interval: Option<(f64, f64)>) -> String {
    let value = Amount::Share(Ratio(share));
    let one = Evidence {
        quantity: EvidenceQuantity::Noise(quantity),
        value: Reading::Measured(value),
        of: None,
        interval: interval.map(|(low, high)| (Amount::Ratio(Ratio(low)), Amount::Ratio(Ratio(high)))),
        subject: EvidenceSubject::Study,
        source: EvidenceSource::Trials,
    };
    sentence(quantity, &one, &Ratio(share).percent(), "5.0 %")
}

#[test]
fn a_useless_interval_is_said_by_its_ends() {
    let half = |share, interval| said(NoiseQuantity::IntervalHalfWidth, share, interval);
    assert_eq!(
        half(0.04, Some((0.97, 1.05))),
        "the widest interval is still plus or minus 4.0 %, and differences of 5.0 % count"
    );
    assert!(half(0.499, Some((0.6, 1.4))).contains("plus or minus 49.9 %"));
    for share in [0.5, 1.0, 5.759, 1e9] {
        assert_eq!(
            half(share, Some((0.2, 6.0))),
            "the runs do not tell: a difference may be anywhere between 0.20x and 6.00x, and differences of 5.0 % count"
        );
        assert!(!half(share, None).contains("plus or minus"));
    }
}

#[test]
fn runs_that_differ_manifold_are_said_so() {
    let spread = |share| said(NoiseQuantity::RunToRunDeviation, share, None);
    assert_eq!(spread(0.04), "one run differs from the next by 4.0 % (standard deviation)");
    assert!(spread(0.99).contains("99.0 %"));
    assert_eq!(spread(2.3), "one run takes 3.3 times as long as the next (standard deviation)");
}
