use super::*;

#[test]
fn every_tool_has_a_name_of_its_own_that_leads_back_to_it() {
    let others = EquivalentTool::ALL.into_iter().map(LineTool::Other);
    for tool in [LineTool::Program, LineTool::Numawise].into_iter().chain(others) {
        assert_eq!(LineTool::from_name(tool.name()), Some(tool));
    }
    assert_eq!(LineTool::from_name("hwloc-bind"), None);
}

#[test]
fn a_line_that_is_not_run_is_no_point() {
    let line = |tool, not_run| PrintedLine { tool, line: tool.to_string(), not_run };
    let lines = PrintedLines {
        point: "pinned".into(),
        lines: vec![
            line(LineTool::Program, None),
            line(LineTool::Numawise, None),
            line(LineTool::Other(EquivalentTool::Srun), Some(NotRun::StartsRanks)),
        ],
        trials: Vec::new(),
        stopped: None,
    };
    let run: Vec<LineTool> = lines.run().map(|line| line.tool).collect();
    assert_eq!(run, [LineTool::Program, LineTool::Numawise]);
    assert_eq!(point(LineTool::Program).role, PointRole::Baseline);
    assert!(point(LineTool::Numawise).placement.tasks[0].cpus.is_empty(), "nothing is placed");
}
