use super::*;

/// As Linux 6.18 prints it.
const NEW: &str = "\
cat (14747, #threads: 1)
-------------------------------------------------------------------
se.exec_start                                :       1623323.640210
se.vruntime                                  :           205.352680
se.sum_exec_runtime                          :             0.926696
se.nr_migrations                             :                   17
nr_switches                                  :                    1
";

/// As Linux 3.10 prints it, with the statistics that were among the lines then.
const OLD: &str = "\
bash (2210, #threads: 1)
-------------------------------------------------------------------
se.exec_start                                :     184651562.713436
se.vruntime                                  :         34816.131071
se.sum_exec_runtime                          :          4310.000007
se.statistics.wait_start                     :             0.000000
se.statistics.nr_migrations_cold             :                    0
se.nr_migrations                             :                  204
se.statistics.nr_wakeups_migrate             :                   77
";

#[test]
fn migrations_and_cpu_time_of_old_and_new_kernels() {
    for (text, migrations, nanoseconds) in [(NEW, 17, 926_696), (OLD, 204, 4_310_000_007)] {
        let sched = Sched::parse(text.as_bytes());
        assert_eq!(sched.migrations, Some(migrations));
        assert_eq!(sched.cpu_time, Some(Nanoseconds(nanoseconds)));
    }
}

#[test]
fn what_is_not_there_or_broken_is_none_and_not_zero() {
    for text in [
        "",
        "\n\n",
        "se.nr_migrations",
        "se.nr_migrations :",
        "se.nr_migrations : -1",
        "se.nr_migrations : 17x",
        "se.nr_migrations 17",
        "se.nr_migrations_cold : 17",
        "xse.nr_migrations : 17",
        "se.sum_exec_runtime : 12",
        "se.sum_exec_runtime : 12.5",
        "se.sum_exec_runtime : 12.0000000",
        "se.sum_exec_runtime : .000000",
        "se.sum_exec_runtime : 99999999999999999999.000000",
        "se.sum_exec_runtime : 18446744073709.551616",
        "\u{fffd}\0\0",
    ] {
        let sched = Sched::parse(text.as_bytes());
        assert_eq!(sched.migrations, None, "{text:?}");
        assert_eq!(sched.cpu_time, None, "{text:?}");
    }
}

#[test]
fn a_text_cut_anywhere_gives_no_wrong_time() {
    let whole = Sched::parse(NEW.as_bytes());
    for end in 0..NEW.len() {
        let cut = Sched::parse(&NEW.as_bytes()[..end]);
        assert!(cut.cpu_time.is_none() || cut.cpu_time == whole.cpu_time, "cut at {end}");
    }
}
