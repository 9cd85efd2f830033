const CHARTS = [];
