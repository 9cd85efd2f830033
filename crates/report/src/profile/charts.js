// The charts of a measured machine.

  const names = { top: 0, left: 0, itemWidth: 16, itemHeight: 10, textStyle: { color: colour("text") } };

  function bytes(b) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let k = 0;
    while (b >= 1024 && k < 4) { b /= 1024; k += 1; }
    return +b.toFixed(1) + " " + units[k];
  }
  const ns = (v) => (v < 10 ? v.toFixed(2) : v.toFixed(1)) + " ns";

  // ---- latency by working set: both axes by the logarithm, caches as upright lines -----------------------------------

  function workingSets(width) {
    const curves = data.working_sets.filter((c) => c.points.some((p) => p[1]));
    if (curves.length === 0) return null;
    const narrow = width < 560;
    const sizes = curves.flatMap((c) => c.points.map((p) => p[0]));
    const values = curves.flatMap((c) => c.points.filter((p) => p[1]).map((p) => p[1][0]));
    const [low, high] = [Math.log2(Math.min(...sizes)), Math.log2(Math.max(...sizes))];
    const [floor, top] = [Math.log10(Math.min(...values) / 1.3), Math.log10(Math.max(...values) * 1.3)];
    const steps = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].map(Math.log10);
    const each = (high - low) / (narrow ? 4 : 10);
    const stride = Math.max(1, Math.ceil(each));
    const ticks = [];
    for (let k = Math.ceil(low); k <= high; k += stride) ticks.push(k);
    const legend = legendHeight(curves.map((c) => c.name), width);
    const option = common((list) => {
      const rows = list.filter((p) => p.data && p.data.figures)
        .map((p) => p.seriesName + ": " + ns(p.data.figures[0]) + " (" + ns(p.data.figures[1]) + " to " + ns(p.data.figures[2]) + ")");
      return tip(bytes(Math.pow(2, list[0].value[0])), rows);
    });
    option.tooltip.trigger = "axis";
    option.legend = Object.assign({}, names, { textStyle: { color: colour("text") } });
    option.grid = { left: 56, right: 20, top: legend + 44, bottom: 42 };
    option.xAxis = axis({
      type: "value", min: low, max: high, splitLine: { show: false }, name: "working set", nameLocation: "middle", nameGap: 26,
      axisLabel: { color: colour("muted"), customValues: ticks, formatter: (v) => bytes(Math.pow(2, v)) },
    });
    option.yAxis = axis({
      type: "value", min: floor, max: top, name: "latency, ns",
      nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -40] },
      axisTick: { customValues: steps.filter((s) => s > floor && s < top), show: false },
      splitLine: { show: false },
      axisLabel: { color: colour("muted"), customValues: steps.filter((s) => s > floor && s < top), formatter: (v) => String(+Math.pow(10, v).toPrecision(2)) },
    });
    const inside = data.caches.filter((c) => Math.log2(c.bytes) > low && Math.log2(c.bytes) < high);
    option.series = curves.map((c, k) => ({
      name: c.name, type: "line", color: node(k), symbol: "circle", symbolSize: 5, lineStyle: stroke(k), emphasis: { disabled: true },
      data: c.points.map(([b, figures]) => ({ value: [Math.log2(b), figures ? Math.log10(figures[0]) : null], figures })),
      markLine: k > 0 ? undefined : {
        silent: true, symbol: "none", animation: false,
        lineStyle: { color: colour("muted"), type: "dashed", width: 1 },
        label: { color: colour("muted"), formatter: (p) => (narrow ? p.name.split(" ")[0] : p.name), position: "end", rotate: 0 },
        data: inside.map((c) => ({ name: c.name, xAxis: Math.log2(c.bytes) })),
      },
    }));
    return { option, height: 340 + legend };
  }

  // ---- latency by bandwidth ------------------------------------------------------------------------------------------

  const loaded = (of) => (width) => {
    const curves = data[of];
    if (curves.length === 0 || (of === "by_pair" && curves.length < 2)) return null;
    const legend = legendHeight(curves.map((c) => c.name), width);
    const option = common((p) => tip(p.seriesName, [
      p.data.knee ? "knee: " + p.data.knee : "",
      p.value[0].toFixed(1) + " GB/s", ns(p.value[1]),
    ]));
    option.tooltip.trigger = "item";
    option.legend = Object.assign({}, names, { textStyle: { color: colour("text") }, data: curves.map((c) => c.name) });
    option.grid = { left: 56, right: 28, top: legend + 32, bottom: 42 };
    option.xAxis = axis({ type: "value", min: 0, name: "bandwidth, GB/s", nameLocation: "middle", nameGap: 26, splitLine: { show: false } });
    option.yAxis = axis({
      type: "value", min: 0, name: "latency, ns", nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -40] },
    });
    option.series = curves.flatMap((c, k) => [{
      name: c.name, type: "line", color: node(k), symbol: "circle", symbolSize: 5, lineStyle: stroke(k), emphasis: { disabled: true },
      data: c.points.map((value) => ({ value })),
    }, {
      // The knee, hollow; goes with its curve when that is hidden.
      name: c.name, type: "scatter", symbol: "diamond", symbolSize: 14, color: node(k), z: 3,
      itemStyle: { color: colour("card"), borderColor: node(k), borderWidth: 2 },
      data: c.knee ? [{ value: [c.knee[0], c.knee[1]], knee: c.knee[2] }] : [],
    }]);
    return { option, height: 300 + legend };
  };

  // ---- core to core --------------------------------------------------------------------------------------------------

  // Both are #rrggbb.
  function between(one, other, share) {
    const part = (text, k) => parseInt(text.slice(1 + 2 * k, 3 + 2 * k), 16);
    const parts = [0, 1, 2].map((k) => Math.round(part(one, k) * (1 - share) + part(other, k) * share));
    return "rgb(" + parts.join(",") + ")";
  }

  const cores = (which) => (width) => {
    const map = data.cores[which];
    if (!map) return null;
    const n = map.cpus.length;
    const left = 58, right = 8;
    const side = Math.max(2, Math.min(52, Math.floor((width - left - right) / n)));
    const [least, most] = map.range;
    const [cold, hot] = [colour("cold"), colour("hot")];
    const name = (k) => "CPU " + map.cpus[k] + (map.nodes[k] === null ? "" : " (node " + map.nodes[k] + ")");
    const option = common((p) => tip(name(p.value[1]) + " to " + name(p.value[0]), [ns(p.value[2])]));
    option.tooltip.trigger = "item";
    option.aria = { enabled: false };
    option.grid = { left, top: 44, width: side * n, height: side * n };
    const every = Math.max(1, Math.ceil(26 / side));
    const labels = { color: colour("muted"), interval: (k) => k % every === 0, fontSize: 11 };
    option.xAxis = axis({
      type: "category", position: "top", data: map.cpus.map(String), axisLabel: labels, splitLine: { show: false },
      name: "read by CPU", nameLocation: "middle", nameGap: 24,
    });
    option.yAxis = axis({
      type: "category", inverse: true, data: map.cpus.map(String), axisLabel: labels, splitLine: { show: false },
      name: "changed by CPU", nameLocation: "middle", nameGap: 36,
    });
    const cells = [];
    map.cells.forEach((row, k) => row.forEach((v, l) => { if (v !== null) cells.push([l, k, v]); }));
    const gap = side > 8 ? 1 : 0;
    option.series = [{
      type: "custom", data: cells, encode: { x: 0, y: 1 }, clip: false,
      renderItem: (params, api) => {
        const [x, y] = api.coord([api.value(0), api.value(1)]);
        const v = api.value(2);
        const fill = between(cold, hot, most > least ? (v - least) / (most - least) : 0);
        const children = [{
          type: "rect", style: { fill },
          shape: { x: x - side / 2, y: y - side / 2, width: side - gap, height: side - gap },
        }];
        if (side >= 30) children.push({ type: "text", x: x - gap / 2, y: y - gap / 2, silent: true,
          style: { text: v.toFixed(0), fill: colour("text"), font: "11px " + FONT, align: "center", verticalAlign: "middle" } });
        return { type: "group", children };
      },
    }, {
      // Where one node ends and the next begins.
      type: "custom", silent: true, z: 4, data: [[0, 0]], tooltip: { show: false },
      renderItem: (params) => {
        const box = params.coordSys;
        const children = [];
        for (let k = 1; k < n; k += 1) {
          if (map.nodes[k] === map.nodes[k - 1]) continue;
          const at = k * side;
          const style = { stroke: colour("text"), lineWidth: 1, opacity: 0.7 };
          children.push({ type: "line", style, shape: { x1: box.x + at, y1: box.y, x2: box.x + at, y2: box.y + n * side } });
          children.push({ type: "line", style, shape: { x1: box.x, y1: box.y + at, x2: box.x + n * side, y2: box.y + at } });
        }
        return { type: "group", children };
      },
    }];
    return { option, height: side * n + 52 };
  };

  const CHARTS = [
    ["chart-working-sets", workingSets], ["chart-by-mix", loaded("by_mix")], ["chart-by-pair", loaded("by_pair")],
    ["chart-cores-0", cores(0)], ["chart-cores-1", cores(1)], ["chart-cores-2", cores(2)],
  ];
