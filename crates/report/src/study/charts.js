// The charts of a study of a grid.

  const names = { top: 0, left: 0, itemWidth: 26, itemHeight: 10, textStyle: { color: colour("text") } };
  const times = (v) => (v >= 10 ? v.toFixed(1) : Math.abs(v - 1) < 0.1 ? v.toFixed(3) : v.toFixed(2)) + "x";
  const percent = (v) => (v * 100).toFixed(1) + " %";
  const metric = (v, [factor, name] = unit(v)) => +(v * factor).toPrecision(4) + (name ? " " + name : "");

  // ---- curves: both axes by the logarithm where the numbers grow by factors ------------------------------------------

  const X = 0, Y = 1, LOW = 2, HIGH = 3, SHARE = 4, SHARE_LOW = 5, SHARE_HIGH = 6, COUNT = 7;

  function steps(low, high, room) {
    const powers = [];
    for (let k = Math.ceil(Math.log2(low) - 1e-6); k <= Math.log2(high) + 1e-6; k += 1) powers.push(Math.pow(2, k));
    const fine = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4, 5, 7].flatMap((s) => [s / 10, s, s * 10, s * 100]);
    let list = powers.length > 2 ? powers : [...new Set(fine)].sort((a, b) => a - b).filter((s) => s >= low && s <= high);
    while (list.length > room) list = list.filter((_, k) => k % 2 === 0);
    return list;
  }

  const DASHES = "path://M0,0L7,0L7,2L0,2ZM10,0L17,0L17,2L10,2ZM20,0L27,0L27,2L20,2Z";

  // A frame for lines over the same numbers; `of` takes the value and its interval from a point.
  function overNumbers(width, of, y, extra) {
    const { lines, along, geometric } = data.curves;
    const tx = (v) => (geometric ? Math.log2(v) : v);
    const ty = (v) => (y.log ? Math.log2(v) : v);
    const narrow = width < 560;
    const points = lines.flatMap((l) => l.points);
    const at = [...new Set(points.map((p) => p[X]))].sort((a, b) => a - b);
    const legend = legendHeight(lines.map((l) => l.name).concat(extra.names), width);
    const option = common((p) => {
      const q = p.data && p.data.point;
      return q ? tip(p.seriesName + ", " + along + " " + q[X], y.says(q).concat("n = " + q[COUNT])) : "";
    });
    option.tooltip.trigger = "item";
    option.legend = Object.assign({}, names, { textStyle: { color: colour("text") }, data: lines.map((l) => l.name).concat(extra.names.map((name) => ({ name, icon: DASHES }))) });
    option.grid = { left: 60, right: 24, top: legend + 32, bottom: 42 };
    let ticks = at;
    while (ticks.length > (narrow ? 6 : 14)) ticks = ticks.filter((_, k) => k % 2 === 0);
    option.xAxis = axis({
      type: "value", min: tx(at[0]), max: tx(at[at.length - 1]), name: along, nameLocation: "middle", nameGap: 26, splitLine: { show: false },
      axisLine: { show: true, onZero: false, lineStyle: { color: colour("line") } },
      axisLabel: geometric || at.length <= 14
        ? { color: colour("muted"), customValues: ticks.map(tx), hideOverlap: true, formatter: (v) => String(+(geometric ? Math.pow(2, v) : v).toPrecision(6)) }
        : { color: colour("muted"), showMinLabel: true },
    });
    // Round in the unit that is shown.
    const scale = y.scale || 1;
    const marks = y.log ? steps(y.min * scale, y.max * scale, 10).map((v) => ty(v / scale)) : undefined;
    option.yAxis = axis({
      type: "value", min: ty(y.min), max: ty(y.max), name: y.name,
      nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -44] },
      axisTick: { customValues: marks, show: false },
      splitLine: { show: !y.log, lineStyle: { color: colour("line") } },
      axisLabel: {
        color: colour("muted"), customValues: marks, showMaxLabel: y.log,
        formatter: (v) => y.label(y.log ? Math.pow(2, v) : v),
      },
    });
    const inside = (v) => Math.min(Math.max(v, y.min), y.max);
    option.series = lines.flatMap((l, k) => {
      const runs = [[]];
      for (const p of l.points) {
        if (of.low(p) === null || of.high(p) === null) runs.push([]);
        else runs[runs.length - 1].push(p);
      }
      return [{
        name: l.name, type: "line", color: node(k), symbol: SYMBOLS[k % SYMBOLS.length], symbolSize: l.points.length > 60 ? 4 : 7,
        showAllSymbol: true, lineStyle: stroke(k), emphasis: { disabled: true }, z: 3,
        data: l.points.map((p) => ({ value: [tx(p[X]), of.value(p) === null ? null : ty(of.value(p))], point: p })),
      }, {
        name: l.name, type: "custom", silent: true, clip: true, z: 1, color: node(k), data: [[tx(at[0]), ty(y.min)]], tooltip: { show: false },
        renderItem: (params, api) => ({
          type: "group",
          children: runs.filter((run) => run.length).map((run) => {
            const edge = (end) => run.map((p) => api.coord([tx(p[X]), ty(inside(end(p)))]));
            return {
              type: "polygon", shape: { points: edge(of.high).concat(edge(of.low).reverse()) },
              style: { fill: node(k), opacity: lines.length > 3 ? 0.08 : 0.17, stroke: node(k), lineWidth: run.length > 1 ? 0 : 3 },
            };
          }),
        }),
      }, {
        name: l.name, type: "line", silent: true, symbol: "none", color: node(k), z: 4, tooltip: { show: false }, emphasis: { disabled: true },
        lineStyle: { width: 1.5, type: [1, 7], cap: "round", color: colour("text") },
        data: extra.law && l.law ? l.law.points.map(([x, v]) => [tx(x), ty(v)]) : [],
      }];
    }).concat(extra.series ? extra.series(tx, ty, at) : []);
    if (marks) {
      option.series.push({
        type: "line", data: [], z: 0, silent: true,
        markLine: {
          silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: colour("line"), type: "solid", width: 1 },
          data: marks.map((v) => ({ yAxis: v })),
        },
      });
    }
    return { option, height: 380 + legend };
  }

  const guide = (name, points) => ({
    name, type: "line", silent: true, symbol: "none", color: colour("muted"), z: 0, tooltip: { show: false }, emphasis: { disabled: true },
    lineStyle: { width: 1.5, type: [8, 5] }, data: points,
  });

  // So far as intervals go, but not for the sake of one that says nothing.
  function span(values, ends) {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return [Math.max(Math.min(least, ...ends), least / 2), Math.min(Math.max(most, ...ends), most * 1.5)];
  }

  function curves(width) {
    if (!data.curves) return null;
    const { measure, geometric, first_workers: first, lines } = data.curves;
    const points = lines.flatMap((l) => l.points).filter((p) => p[Y] !== null);
    const ends = points.flatMap((p) => [p[LOW], p[HIGH]]).filter((v) => v !== null);
    const of = { value: (p) => p[Y], low: (p) => p[LOW], high: (p) => p[HIGH] };
    const [low, high] = span(points.map((p) => p[Y]), ends);
    const interval = (p, text) => (p[LOW] === null ? "" : "95 % interval " + text(p[LOW]) + " to " + text(p[HIGH]));
    if (measure === "metric") {
      const of_all = unit(high);
      const text = (v) => metric(v, of_all);
      const steep = high / low > 4;
      return overNumbers(width, of, {
        log: geometric || steep, min: geometric || steep ? low / 1.1 : high / low > 1.5 ? 0 : low - (high - low) * 0.2, max: high * (geometric || steep ? 1.1 : 1) + (geometric || steep ? 0 : (high - low) * 0.1),
        name: data.wall_time ? "median wall time, " + of_all[1] : short("median of " + data.metric, 48),
        scale: of_all[0], label: (v) => String(+(v * of_all[0]).toPrecision(3)),
        says: (p) => ["median " + text(p[Y]), interval(p, text)],
      }, { names: [] });
    }
    const last = Math.max(...points.map((p) => p[X]));
    const ideal = last / first;
    const top = Math.max(high * 1.05, Math.min(ideal, high * 2));
    return overNumbers(width, of, {
      log: geometric, min: geometric ? low / 1.1 : 0, max: top, name: "speedup", label: (v) => +v.toPrecision(3) + "x",
      says: (p) => [times(p[Y]), interval(p, times), p[SHARE] === null ? "" : "efficiency " + percent(p[SHARE])],
    }, {
      names: ["ideal"], law: true,
      series: (tx, ty, at) => [guide("ideal", at.map((x) => [tx(x), ty(x / first)]))],
    });
  }

  function efficiency(width) {
    if (!data.curves || data.curves.measure !== "speedup") return null;
    const points = data.curves.lines.flatMap((l) => l.points).filter((p) => p[SHARE] !== null);
    if (points.length === 0) return null;
    const [, high] = span(points.map((p) => p[SHARE]), points.map((p) => p[SHARE_HIGH]));
    return overNumbers(width, { value: (p) => p[SHARE], low: (p) => p[SHARE_LOW], high: (p) => p[SHARE_HIGH] }, {
      log: false, min: 0, max: Math.max(1.1, high * 1.05), name: "efficiency", label: (v) => Math.round(v * 100) + " %",
      says: (p) => [percent(p[SHARE]) + " (" + percent(p[SHARE_LOW]) + " to " + percent(p[SHARE_HIGH]) + ")"],
    }, { names: ["ideal"], series: (tx, ty, at) => [guide("ideal", [[tx(at[0]), 1], [tx(at[at.length - 1]), 1]])] });
  }

  // ---- bars: groups along a few numbers, a bar for each word, with a pattern besides its colour ---------------------------

  function bars(width) {
    if (!data.bars) return null;
    const { along, levels, names: all, groups } = data.bars;
    const known = groups.flatMap((group) => group.filter((bar) => bar && bar[0] !== null));
    const most = Math.max(...known.map((bar) => Math.max(bar[0], Math.min(bar[2] === null ? bar[0] : bar[2], bar[0] * 1.5))));
    const of_all = unit(most);
    const legend = legendHeight(all, width);
    const option = common((p) => {
      const bar = p.data && p.data.bar;
      if (!bar) return "";
      const interval = bar[1] === null || bar[2] === null ? "" : "95 % interval " + metric(bar[1], of_all) + " to " + metric(bar[2], of_all);
      return tip(p.seriesName + ", " + along + " " + levels[p.dataIndex], ["median " + metric(bar[0], of_all), interval, "n = " + bar[3]]);
    });
    option.tooltip.trigger = "item";
    option.aria = { enabled: true, decal: { show: true } };
    option.legend = Object.assign({}, names, { itemHeight: 14, data: all });
    option.grid = { left: 60, right: 16, top: legend + 32, bottom: 42 };
    option.xAxis = axis({ type: "category", data: levels, name: along, nameLocation: "middle", nameGap: 26, splitLine: { show: false } });
    option.yAxis = axis({
      type: "value", min: 0, max: most * 1.05,
      name: data.wall_time ? "median wall time, " + of_all[1] : short("median of " + data.metric, 48),
      nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -44] },
      axisLabel: { color: colour("muted"), showMaxLabel: false, formatter: (v) => String(+(v * of_all[0]).toPrecision(3)) },
    });
    // Bars stand side by side without a gap, so that each line finds its bar.
    const bar = Math.min(44, ((width - 76) / levels.length) * 0.8 / all.length);
    const ends = groups.flatMap((group, g) => group.flatMap((one, k) => (one && one[1] !== null && one[2] !== null ? [[g, k, one[1], one[2]]] : [])));
    option.series = all.map((name, k) => ({
      name, type: "bar", color: node(k), barWidth: bar, barGap: "0%", emphasis: { disabled: true },
      data: groups.map((group) => ({ value: group[k] ? group[k][0] : null, bar: group[k] })),
    })).concat([{
      type: "custom", silent: true, z: 5, data: ends, tooltip: { show: false }, clip: true, dimensions: ["group", "bar", "low", "high"],
      encode: { x: 0, y: [2, 3] },
      renderItem: (params, api) => {
        const x = api.coord([api.value(0), 0])[0] + (api.value(1) - (all.length - 1) / 2) * bar;
        const [low, high] = [api.coord([0, api.value(2)])[1], api.coord([0, Math.min(api.value(3), most * 1.05)])[1]];
        const cap = Math.min(6, bar / 3);
        const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour("text"), lineWidth: 1.5 } });
        return { type: "group", children: [line(x, low, x, high), line(x - cap, low, x + cap, low), line(x - cap, high, x + cap, high)] };
      },
    }]);
    return { option, height: 320 + legend };
  }

  // ---- trials: how far each is from the median of its point -----------------------------------------------------------

  const COUNTS = 0, DISTURBED = 1, FAILED = 2, WARM_UP = 3;
  const CROSS = "path://M0,1L4,5L0,9L1,10L5,6L9,10L10,9L6,5L10,1L9,0L5,4L1,0Z";

  // As far as most go: what is further off is drawn at the edge.
  function edge(values) {
    const sizes = values.map(Math.abs).sort((a, b) => a - b);
    const most = sizes[sizes.length - 1] || 0;
    const usual = sizes[Math.floor((sizes.length - 1) * 0.98)] || 0;
    return Math.max(0.005, most <= usual * 2.5 ? most * 1.1 : usual * 1.5);
  }
  const signed = (v) => (v > 0 ? "+" : "") + (v * 100).toFixed(Math.abs(v) < 0.1 ? 2 : 1) + " %";
  const deviations = (limit, extra) => axis(Object.assign({
    type: "value", min: -limit, max: limit, axisLabel: {
      color: colour("muted"), formatter: (v) => +(v * 100).toPrecision(3) + " %", hideOverlap: true, showMinLabel: false, showMaxLabel: false,
    },
  }, extra));

  function spread(width) {
    const rows = data.spread;
    if (!rows || !rows.some((row) => row.trials.length)) return null;
    const limit = edge(rows.flatMap((row) => row.trials.map((t) => t[1])));
    const narrow = width < 560;
    const label = narrow ? 110 : 230;
    const room = rows.length > 24 ? 20 : rows.length > 8 ? 28 : 48;
    const option = common((p) => {
      const t = p.data.trial;
      return tip(rows[p.data.value[1]].point, [metric(rows[p.data.value[1]].median * (1 + t[1])) + ", " + signed(t[1]) + " of the median", "trial " + t[0], t[2] === DISTURBED ? "disturbed" : ""]);
    });
    option.tooltip.trigger = "item";
    option.aria = { enabled: false };
    option.grid = { left: label, right: 20, top: 8, bottom: 42 };
    option.xAxis = deviations(limit, { name: "from the median of the point", nameLocation: "middle", nameGap: 26 });
    option.yAxis = axis({
      type: "category", inverse: true, data: rows.map((row) => row.point),
      splitLine: { show: true, lineStyle: { color: colour("line") } },
      axisLabel: { color: colour("text"), width: label - 16, overflow: "truncate", interval: 0 },
    });
    // Apart from each other up and down, the same way every time.
    const beside = (k) => ((k * 0.618034) % 1 - 0.5) * room * 0.6;
    option.series = [{
      type: "scatter", color: node(0), clip: false,
      data: rows.flatMap((row, r) => row.trials.map((t, k) => {
        const off = Math.abs(t[1]) > limit;
        return {
          value: [Math.max(-limit, Math.min(limit, t[1])), r], trial: t, symbolOffset: [0, beside(k)],
          symbol: off ? "triangle" : "circle", symbolRotate: off ? (t[1] > 0 ? -90 : 90) : 0, symbolSize: off ? 9 : 6,
          itemStyle: t[2] === DISTURBED
            ? { color: "transparent", borderColor: node(1), borderWidth: 2 }
            : { color: off ? node(1) : node(0), opacity: 0.6 },
        };
      })),
      markLine: {
        silent: true, symbol: "none", animation: false, lineStyle: { color: colour("text"), type: "solid", width: 1, opacity: 0.6 },
        label: { show: false }, data: [{ xAxis: 0 }],
      },
    }];
    return { option, height: 50 + rows.length * room };
  }

  function order() {
    const all = data.trials;
    if (!all || all.length === 0) return null;
    const limit = edge(all.filter((t) => t[3] !== null && t[4] !== WARM_UP).map((t) => t[3]));
    const option = common((p) => {
      const [number, block, place, off, mark, lines] = p.data.trial;
      const [point, median] = data.points[place];
      const value = off === null ? "" : metric(median * (1 + off)) + ", " + signed(off) + " of the median of this point";
      return tip(point, [value, "trial " + number + ", " + (block === 0 ? "warm-up" : "block " + block), mark === FAILED ? "failed" : "", ...(lines || [])]);
    });
    option.tooltip.trigger = "item";
    option.aria = { enabled: false };
    option.legend = Object.assign({}, names, { itemWidth: 12, textStyle: { color: colour("text") } });
    option.grid = { left: 64, right: 16, top: 52, bottom: 42 };
    option.xAxis = axis({
      type: "value", name: "trial", nameLocation: "middle", nameGap: 26, minInterval: 1,
      min: 0, max: Math.max(1, all[all.length - 1][0]), splitLine: { show: false },
    });
    option.yAxis = deviations(limit, { name: "from the median of the point", nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -44] } });
    const kind = (name, mark, symbol, symbolSize, itemStyle) => ({
      name, type: "scatter", symbol, symbolSize, itemStyle, color: itemStyle.borderColor || itemStyle.color, clip: false, z: mark === COUNTS ? 2 : 3,
      data: all.filter((t) => t[4] === mark && (t[3] !== null || mark === FAILED)).map((t) => {
        const off = t[3] !== null && Math.abs(t[3]) > limit;
        const point = { value: [t[0], t[3] === null ? -limit : Math.max(-limit, Math.min(limit, t[3]))], trial: t };
        return off ? Object.assign(point, { symbol: "triangle", symbolRotate: t[3] > 0 ? 0 : 180, symbolSize: 9 }) : point;
      }),
    });
    option.series = [
      kind("counts", COUNTS, "circle", all.length > 1000 ? 4 : 7, { color: node(0), opacity: 0.65 }),
      kind("warm-up", WARM_UP, "rect", 5, { color: colour("muted"), opacity: 0.6 }),
      kind("disturbed", DISTURBED, "diamond", 12, { color: "transparent", borderColor: node(1), borderWidth: 2 }),
      kind("failed", FAILED, CROSS, 10, { color: colour("bad") }),
    ].filter((s) => s.data.length);
    return { option, height: 330 };
  }

  const CHARTS = [["chart-curves", curves], ["chart-efficiency", efficiency], ["chart-bars", bars], ["chart-spread", spread], ["chart-order", order]];
