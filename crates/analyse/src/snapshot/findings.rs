use super::*;
pub struct Case<'a> {
    pub run: &'a Run<'a>,
    pub cpus: &'a Reading<numawise_tables::snapshot::CpuCount>,
    pub efficiency: &'a numawise_tables::snapshot::Efficiencies,
    pub mpi: Option<&'a numawise_tables::snapshot::MpiSummary>,
    pub openmp: Option<&'a numawise_tables::snapshot::OpenMpSummary>,
    pub placement: &'a numawise_tables::snapshot::PlacementSummary,
}
pub fn all(_: &Case<'_>) -> Vec<numawise_tables::snapshot::SnapshotFinding> {
    Vec::new()
}
