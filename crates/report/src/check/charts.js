// The charts of a check.

  data.trials = data.trials.map(([number, block, place, value, disturbed, lines]) =>
    ({ number, block, point: data.points[place], value, disturbed: disturbed === 1, lines }));

  // ---- ratios with intervals --------------------------------------------------------------------------------------

  const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 1.75, 2, 3, 5, 10, 20, 50, 100];

  function ticks(low, high, room) {
    let steps = STEPS.filter((s) => s >= low * 0.999 && s <= high * 1.001);
    while (steps.length > room) {
      const one = steps.indexOf(1);
      steps = steps.filter((s, k) => (k - one) % 2 === 0);
    }
    return steps;
  }

  function ratios(width) {
    const rows = data.ratios;
    if (!rows.some((row) => row.effect)) return null;
    const narrow = width < 560;
    const shown = rows.filter((row) => row.effect).map((row) => row.effect);
    const low = Math.min(1 / 1.1, ...shown.map((e) => e.low)) / 1.03;
    const high = Math.max(1.1, ...shown.map((e) => e.high)) * 1.03;
    const steps = ticks(low, high, narrow ? 4 : 8);
    const tone = { better: "good", worse: "bad", same: "same", open: "doubt" };
    const label = narrow ? 96 : 150;
    const option = common((p) => {
      const row = rows[p.dataIndex];
      return tip(row.point, [row.title, row.text, row.word, "median " + row.median + ", n = " + row.n]);
    });
    option.tooltip.trigger = "item";
    option.grid = { left: label, right: narrow ? 16 : 190, top: 8, bottom: 28 };
    option.xAxis = axis({
      type: "value", min: Math.log(low), max: Math.log(high), splitLine: { show: false },
      axisLabel: {
        color: colour("muted"), customValues: steps.map(Math.log), showMinLabel: true, showMaxLabel: true,
        formatter: (v) => +Math.exp(v).toFixed(2) + "x",
      },
    });
    option.yAxis = axis({
      type: "category", inverse: true, data: rows.map((row) => row.point), splitLine: { show: false },
      axisLabel: { color: colour("text"), width: label - 16, overflow: "truncate", interval: 0 },
    });
    const band = Math.log(1 + data.margin);
    option.series = [{
      type: "custom", clip: false, encode: { x: [1, 2, 3], y: 0 },
      data: rows.map((row, k) => {
        const e = row.effect || { ratio: 1, low: 1, high: 1 };
        return [k, Math.log(e.ratio), Math.log(e.low), Math.log(e.high)];
      }),
      renderItem: (params, api) => {
        const row = rows[params.dataIndex];
        const at = (k) => api.coord([api.value(k), api.value(0)]);
        const [middle, left, right] = [at(1), at(2), at(3)];
        const paint = row.effect ? colour(tone[row.call] || "same") : colour("muted");
        const half = 6, y = middle[1];
        const line = (x1, y1, x2, y2, w) =>
          ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: paint, lineWidth: w } });
        const children = [];
        if (row.effect) {
          children.push(line(left[0], y, right[0], y, 2));
          children.push(line(left[0], y - half, left[0], y + half, 2));
          children.push(line(right[0], y - half, right[0], y + half, 2));
        }
        children.push({
          type: "circle", shape: { cx: middle[0], cy: y, r: row.effect ? 5 : 4 },
          style: { fill: row.effect && row.call !== "open" ? paint : colour("card"), stroke: paint, lineWidth: 2 },
        });
        if (!narrow) {
          children.push({
            type: "text", x: params.coordSys.x + params.coordSys.width + 14, y,
            style: {
              text: row.effect ? row.text : "the operating system's", fill: row.effect ? paint : colour("muted"),
              font: "13px " + FONT, verticalAlign: "middle",
            },
          });
        }
        return { type: "group", children };
      },
    }, {
      // The band of "no difference" and the grid, behind the intervals.
      type: "custom", silent: true, z: 0, data: [[0]], tooltip: { show: false },
      renderItem: (params, api) => {
        const box = params.coordSys;
        const x = (v) => api.coord([v, 0])[0];
        const children = steps.map((s) => ({
          type: "line", shape: { x1: x(Math.log(s)), y1: box.y, x2: x(Math.log(s)), y2: box.y + box.height },
          style: { stroke: colour("line"), lineWidth: s === 1 ? 2 : 1 },
        }));
        children.unshift({
          type: "rect", style: { fill: colour("band") },
          shape: { x: x(-band), y: box.y, width: x(band) - x(-band), height: box.height },
        });
        return { type: "group", children };
      },
    }];
    return { option, height: 52 + rows.length * 34 };
  }

  // ---- trials in their order --------------------------------------------------------------------------------------

  function trials(width) {
    const values = data.trials.map((t) => t.value).filter((v) => v !== null);
    if (values.length === 0) return null;
    const [factor, name] = unit(Math.max(...values));
    const [least, most] = [Math.min(...values) * factor, Math.max(...values) * factor];
    const pad = (most - least) * 0.08 || Math.abs(most) * 0.05 || 1;
    const floor = least > 0 ? Math.max(0, least - pad) : least - pad;
    const option = common((p) => {
      const t = data.trials[p.data.trial];
      const block = t.block === 0 ? "warm-up" : "block " + t.block;
      const value = t.value === null ? "" : +(t.value * factor).toPrecision(4) + " " + name;
      return tip(t.point, [value, "trial " + t.number + ", " + block, ...t.lines]);
    });
    option.tooltip.trigger = "item";
    option.legend = { type: "plain", top: 0, left: 0, itemWidth: 12, itemHeight: 10, textStyle: { color: colour("text") } };
    const names = data.points.concat(data.trials.some((t) => t.value === null) ? ["failed"] : []);
    // Names and their gaps in pixels, to leave the legend as many lines as it needs.
    const lines = Math.ceil(names.reduce((sum, n) => sum + n.length * 7.5 + 34, 0) / (width - 20));
    option.grid = { left: 64, right: 16, top: 30 + lines * 22, bottom: 42 };
    option.xAxis = axis({
      type: "value", name: "trial", nameLocation: "middle", nameGap: 26, minInterval: 1,
      min: 0, max: Math.max(1, data.trials.length - 1), splitLine: { show: false },
    });
    option.yAxis = axis({
      type: "value", scale: true, min: floor, max: most + pad, name: data.wall_time ? "wall time, " + name : short(data.metric, 48),
      nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -40] },
      axisLabel: { color: colour("muted"), showMinLabel: false, showMaxLabel: false, formatter: (v) => String(+v.toPrecision(4)) },
    });
    const number = new Map(data.trials.map((t, k) => [t, k]));
    option.series = data.points.map((id, k) => ({
      name: id, type: "scatter", symbol: SYMBOLS[k % SYMBOLS.length], color: point(k),
      data: data.trials.filter((t) => t.point === id && t.value !== null).map((t) => ({
        value: [number.get(t), t.value * factor], trial: number.get(t),
        symbolSize: t.block === 0 ? 6 : 10,
        itemStyle: t.disturbed
          ? { color: "transparent", borderColor: point(k), borderWidth: 2 }
          : { color: point(k), opacity: t.block === 0 ? 0.5 : 1 },
      })),
    }));
    if (names.length > data.points.length) {
      option.series.push({
        name: "failed", type: "scatter", symbol: "path://M0,1L4,5L0,9L1,10L5,6L9,10L10,9L6,5L10,1L9,0L5,4L1,0Z", symbolSize: 10,
        color: colour("bad"),
        data: data.trials.filter((t) => t.value === null).map((t) => ({ value: [number.get(t), floor], trial: number.get(t) })),
      });
    }
    return { option, height: 300 + lines * 22 };
  }

  // ---- memory and CPU time by node --------------------------------------------------------------------------------

  // Both are #rrggbb.
  function mixed(one, other, share) {
    const part = (text, k) => parseInt(text.slice(1 + 2 * k, 3 + 2 * k), 16);
    const parts = [0, 1, 2].map((k) => Math.round(part(one, k) * share + part(other, k) * (1 - share)));
    return "rgb(" + parts.join(",") + ")";
  }

  function nodes(width) {
    const { nodes: ids, rows } = data.nodes;
    const bars = [];
    rows.forEach((row, k) => {
      if (!row.memory && !row.cpu) return;
      if (bars.length) bars.push({ name: "", gap: true });
      bars.push({ point: row.point, name: "memory", shares: row.memory });
      bars.push({ point: row.point, name: "CPU time", shares: row.cpu });
    });
    if (bars.length === 0) return null;
    const narrow = width < 560;
    const label = narrow ? 128 : 190;
    const percent = (share) => (share * 100).toFixed(1) + " %";
    const option = common((p) => {
      const bar = bars[p.dataIndex];
      return tip(bar.point + ": " + bar.name, [p.seriesName + ": " + percent(bar.shares[p.seriesIndex])]);
    });
    option.tooltip.trigger = "item";
    option.legend = { top: 0, left: 0, itemWidth: 12, itemHeight: 10, textStyle: { color: colour("text") } };
    option.grid = { left: label, right: 24, top: 34, bottom: 24 };
    option.xAxis = axis({ type: "value", max: 1, axisLabel: { color: colour("muted"), formatter: (v) => v * 100 + " %" } });
    option.yAxis = axis({
      type: "category", inverse: true, data: bars.map((bar, k) => k), splitLine: { show: false },
      axisLabel: {
        interval: 0, color: colour("muted"),
        formatter: (_, k) => {
          const bar = bars[k];
          if (bar.gap) return "";
          return bar.name === "memory" ? "{p|" + short(bar.point.replace(/[{}|]/g, "_"), narrow ? 8 : 14) + "}  memory" : "CPU time";
        },
        rich: { p: { color: colour("text"), fontWeight: 600 } },
      },
    });
    option.series = ids.map((id, k) => ({
      name: "node " + id, type: "bar", stack: "shares", color: node(k), barWidth: "82%",
      emphasis: { focus: "none" },
      // CPU time is drawn lighter than memory, and each bar is named.
      data: bars.map((bar) => ({
        value: bar.shares ? bar.shares[k] : null,
        itemStyle: { color: bar.name === "memory" ? node(k) : mixed(node(k), colour("card"), 0.5) },
        label: { color: bar.name === "memory" ? colour("card") : colour("text") },
      })),
      label: {
        show: true, fontSize: 12, fontWeight: 600,
        formatter: (p) => (p.value > (narrow ? 0.18 : 0.08) ? Math.round(p.value * 100) + " %" : ""),
      },
    }));
    return { option, height: 62 + bars.length * 20 + 6 };
  }

  const CHARTS = [["chart-ratios", ratios], ["chart-trials", trials], ["chart-nodes", nodes]];
