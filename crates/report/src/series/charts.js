// The charts of a time series. Lines end where nothing is known, and with their session.

  const moments = data.moments.map(([at, session, memory, busy, local]) => ({ at, session, memory, busy, local }));

  const two = (n) => String(n).padStart(2, "0");
  function clock(ms) {
    const s = Math.round(ms / 1000);
    return "+" + Math.floor(s / 3600) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
  }

  // Points of one line; a null between sessions breaks it.
  function line(value) {
    const points = [];
    moments.forEach((m, k) => {
      if (k > 0 && m.session !== moments[k - 1].session) points.push([m.at, null]);
      points.push([m.at, value(m)]);
    });
    return points;
  }

  function overTime(height, unit, digits, y, series, legend) {
    const text = (v) => (v === null || v === undefined ? "unknown" : (+v).toFixed(digits) + unit);
    const option = common((list) => {
      const known = list.filter((p) => p.value[1] !== null);
      const total = known.reduce((sum, p) => sum + p.value[1], 0);
      const rows = known.map((p) => p.seriesName + ": " + text(p.value[1]));
      if (known.length > 1) rows.push("all: " + text(total));
      return tip(clock(list[0].value[0]), rows.length ? rows : ["unknown"]);
    });
    option.tooltip.trigger = "axis";
    if (legend) option.legend = { top: 0, left: 0, itemWidth: 12, itemHeight: 10, textStyle: { color: colour("text") } };
    option.grid = { left: 64, right: 16, top: legend ? 44 : 28, bottom: 28 };
    option.xAxis = axis({
      type: "value", min: 0, max: Math.max(1, moments[moments.length - 1].at), splitLine: { show: false },
      axisLabel: { color: colour("muted"), formatter: clock, hideOverlap: true },
    });
    option.yAxis = axis(Object.assign({ type: "value", min: 0, nameTextStyle: { color: colour("muted"), align: "left" } }, y));
    option.series = series;
    return { option, height };
  }

  // Areas on each other, a colour for each node.
  function stacked(height, of, unit, digits, y) {
    if (!moments.some((m) => of(m) !== null)) return null;
    const series = data.nodes.map((name, k) => ({
      name, type: "line", stack: "nodes", color: node(k), symbol: "circle", symbolSize: 4, showSymbol: moments.length < 40,
      lineStyle: { width: 1.5 }, areaStyle: { opacity: 0.55 }, emphasis: { disabled: true },
      data: line((m) => (of(m) === null ? null : of(m)[k])),
    }));
    return overTime(height, unit, digits, y, series, true);
  }

  function memory() {
    const most = Math.max(...moments.map((m) => (m.memory || []).reduce((sum, v) => sum + v, 0)));
    const large = most >= 4096;
    const label = { color: colour("muted"), formatter: (v) => (large ? +(v / 1024).toPrecision(4) + " GiB" : +v.toPrecision(4) + " MiB") };
    return stacked(320, (m) => m.memory, " MiB", 1, { name: "resident memory", axisLabel: label });
  }

  function cpus() {
    return stacked(240, (m) => m.busy, "", 2, { name: "CPUs busy" });
  }

  function local() {
    if (!moments.some((m) => m.local !== null)) return null;
    const series = [{
      name: "local", type: "line", color: colour("good"), symbol: "circle", symbolSize: 4, showSymbol: moments.length < 40,
      lineStyle: { width: 2 }, emphasis: { disabled: true },
      data: line((m) => (m.local === null ? null : m.local * 100)),
    }];
    const label = { color: colour("muted"), formatter: (v) => v + " %" };
    return overTime(180, " %", 1, { name: "local pages", max: 100, axisLabel: label }, series, false);
  }

  const CHARTS = [["chart-memory", memory], ["chart-cpus", cpus], ["chart-local", local]];
