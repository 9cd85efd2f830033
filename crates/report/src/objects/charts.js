// The charts of memory objects: size by share of time, and residence and bandwidth over time.

  const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  function bytes(b) {
    let k = 0;
    while (b >= 1024 && k < 5) { b /= 1024; k += 1; }
    return +b.toPrecision(3) + " " + UNITS[k];
  }
  const percent = (v) => (v > 0 && v < 0.005 ? "< 1" : (100 * v).toFixed(0)) + " %";
  const seconds = (ms) => "+" + (ms / 1000).toFixed(2) + " s";

  // ---- objects: their size by the logarithm, and their share of the time ----------------------------------------------

  function tone(local) {
    if (local === null) return colour("muted");
    if (local >= 0.9) return colour("good");
    return local >= 0.65 ? colour("doubt") : colour("bad");
  }

  function map(width) {
    const all = data.objects;
    if (all.length < 2) return null;
    const sizes = all.map((o) => Math.log2(Math.max(1, o[1])));
    const from = Math.floor(Math.min(...sizes)) - 1;
    const to = Math.ceil(Math.max(...sizes)) + 1;
    const stride = Math.max(1, Math.ceil((to - from) / (width < 560 ? 4 : 10)));
    const ticks = [];
    for (let k = from; k <= to; k += stride) ticks.push(k);
    const named = new Set(all.slice(0, 12).map((o) => o));
    const option = common((p) => {
      const o = p.data.of;
      return tip(o[0], [
        bytes(o[1]),
        percent(o[2]) + " of the time for memory (" + percent(o[3]) + " to " + percent(o[4]) + ")",
        o[5] === null ? "local share not known" : "local: " + percent(o[5]),
        o[6] ? "allocated " + o[6] : "",
      ]);
    });
    option.tooltip.trigger = "item";
    option.grid = { left: 60, right: 28, top: 32, bottom: 44 };
    option.xAxis = axis({
      type: "value", min: from, max: to, name: "size", nameLocation: "middle", nameGap: 28, splitLine: { show: false },
      axisLabel: { color: colour("muted"), customValues: ticks, formatter: (v) => bytes(Math.pow(2, v)) },
    });
    option.yAxis = axis({
      type: "value", min: 0, max: (v) => Math.min(1, Math.ceil(11 * v.max) / 10), name: "share of the time for memory",
      nameTextStyle: { color: colour("muted"), align: "left", padding: [0, 0, 0, -44] },
      axisLabel: { color: colour("muted"), formatter: (v) => Math.round(100 * v) + " %" },
    });
    option.series = [{
      type: "scatter", symbolSize: 14, emphasis: { disabled: true },
      data: all.map((o, k) => ({
        value: [sizes[k], o[2]], of: o,
        symbol: o[5] === null ? SYMBOLS[1] : o[5] >= 0.9 ? SYMBOLS[0] : o[5] >= 0.65 ? SYMBOLS[3] : SYMBOLS[2],
        itemStyle: { color: tone(o[5]), opacity: 0.85 },
        label: { show: named.has(o), position: "right", color: colour("text"), formatter: short(o[0], 18) },
        labelLayout: { hideOverlap: true },
      })),
      labelLayout: { hideOverlap: true },
    }];
    return { option, height: 340 };
  }

  // ---- over time: areas on each other, a colour for each node -----------------------------------------------------------

  function areas(names, moments, text, y) {
    if (moments.length < 2) return null;
    const option = common((list) => {
      const known = list.filter((p) => p.value[1] !== null);
      return tip(seconds(list[0].value[0]), known.map((p) => p.seriesName + ": " + text(p.value[1])));
    });
    option.tooltip.trigger = "axis";
    option.legend = { top: 0, left: 0, itemWidth: 12, itemHeight: 10, textStyle: { color: colour("text") } };
    option.grid = { left: 76, right: 20, top: 36, bottom: 28 };
    const ends = moments.map((m) => m[0]);
    option.xAxis = axis({
      type: "value", min: Math.min(...ends), max: Math.max(...ends), splitLine: { show: false },
      axisLabel: { color: colour("muted"), formatter: seconds, hideOverlap: true },
    });
    option.yAxis = axis(Object.assign({ type: "value", min: 0, axisLabel: { color: colour("muted"), formatter: text } }, y));
    option.series = names.map((name, k) => ({
      name, type: "line", stack: "nodes", color: node(k), symbol: "circle", symbolSize: 4, showSymbol: moments.length < 40,
      lineStyle: { width: 1.5 }, areaStyle: { opacity: 0.55 }, emphasis: { disabled: true },
      data: moments.map(([at, values]) => [at, values[k]]),
    }));
    return { option, height: 220 };
  }

  const residence = (of) => () => {
    const most = Math.max(...of.moments.map((m) => m[1].reduce((sum, v) => sum + v, 0)), 1);
    // Steps of a power of two, so that the labels are short.
    const step = Math.pow(2, Math.ceil(Math.log2(most / 4)));
    return areas(data.nodes, of.moments, bytes, { interval: step, max: step * Math.ceil(most / step) });
  };

  function bandwidth() {
    if (!data.bandwidth) return null;
    return areas(data.bandwidth.nodes, data.bandwidth.moments, (v) => +(v / 1e9).toPrecision(3) + " GB/s", {});
  }

  const CHARTS = [["chart-objects", map], ["chart-bandwidth", bandwidth]]
    .concat(data.residence.map((of, k) => ["chart-residence-" + k, residence(of)]));
