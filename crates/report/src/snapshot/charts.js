// The bars of the ranks of a snapshot, with all that the drawing has no room for: each rank, in two orders, and nearer. And what a cell of
// a map stands for, where the pointer rests.

  const ranks = data.ranks;
  const known = ranks.shares.map((shares, k) => ({ shares, name: ranks.names[k] })).filter((rank) => rank.shares);
  const view = { order: "useful", from: 0, to: known.length };
  const orders = {
    useful: (a, b) => b.shares[0] - a.shares[0],
    name: (a, b) => a.name - b.name,
  };
  ranks.parts.forEach(([name], k) => {
    if (k > 0) orders[name] = (a, b) => b.shares[k] - a.shares[k];
  });

  // Neighbours are one bar where there are more of them than lines.
  function bins(width) {
    const sorted = known.slice().sort((a, b) => orders[view.order](a, b) || a.name - b.name).slice(view.from, view.to);
    const size = Math.ceil(sorted.length / Math.max(20, Math.floor(width / 5)));
    const all = [];
    for (let k = 0; k < sorted.length; k += size) {
      const part = sorted.slice(k, k + size);
      const useful = part.map((rank) => rank.shares[0]);
      all.push({
        ranks: part, from: view.from + k,
        shares: ranks.parts.map((_, p) => part.reduce((sum, rank) => sum + rank.shares[p], 0) / part.length / 1e4),
        least: Math.min(...useful) / 1e4, most: Math.max(...useful) / 1e4,
      });
    }
    return all;
  }

  const percent = (share) => (100 * share).toFixed(1) + " %";

  function rankChart(width) {
    if (known.length < 2) return null;
    const all = bins(width - 72);
    const title = (bin) => bin.ranks.length === 1
      ? ranks.noun + " " + bin.ranks[0].name
      : "mean of " + bin.ranks.length + ": " + ranks.noun + " " + bin.ranks.slice(0, 4).map((rank) => rank.name).join(", ") + (bin.ranks.length > 4 ? ", \u2026" : "");
    const option = common((list) => {
      const bin = all[list[0].dataIndex];
      const rows = ranks.parts.map(([name], p) => (bin.shares[p] > 0 ? name + ": " + percent(bin.shares[p]) : ""));
      if (bin.ranks.length > 1) rows.push("useful from " + percent(bin.least) + " to " + percent(bin.most));
      return tip(title(bin), rows);
    });
    option.tooltip.trigger = "axis";
    option.legend = { type: "plain", top: 0, left: 0, itemWidth: 12, itemHeight: 10, textStyle: { color: colour("text") } };
    const lines = Math.ceil(ranks.parts.reduce((sum, [name]) => sum + name.length * 7.2 + 40, 0) / (width - 10));
    option.grid = { left: 52, right: 12, top: 14 + lines * 22, bottom: 30 };
    option.xAxis = axis({
      type: "category", splitLine: { show: false },
      data: all.map((bin) => (view.order === "name" || bin.ranks.length === 1 ? String(bin.ranks[0].name) : "#" + (bin.from + 1))),
      axisLabel: { color: colour("muted"), hideOverlap: true },
    });
    option.yAxis = axis({ type: "value", min: 0, max: 1, axisLabel: { color: colour("muted"), formatter: (v) => Math.round(100 * v) + " %" } });
    option.series = ranks.parts.map(([name, paint], p) => ({
      name, type: "bar", stack: "time", color: colour(paint.slice(2)), barCategoryGap: all.length > 60 ? "0%" : "15%",
      emphasis: { disabled: true }, data: all.map((bin) => bin.shares[p]),
    }));
    return { option, height: 250 + lines * 22 };
  }

  // ---- nearer and farther -----------------------------------------------------------------------------------------

  // Of very many ranks a page holds some.
  function range() {
    const chosen = ranks.of > ranks.names.length ? ", chosen evenly from " + ranks.of : "";
    return view.from + 1 + " to " + view.to + " of " + known.length + chosen;
  }

  function show(from, to) {
    const size = Math.min(known.length, Math.max(Math.min(10, known.length), Math.round(to - from)));
    view.from = Math.round(Math.min(Math.max(0, from), known.length - size));
    view.to = view.from + size;
    const said = document.getElementById("shown-ranks");
    if (said) said.textContent = range();
    draw();
  }

  function zoom(factor) {
    const [middle, half] = [(view.from + view.to) / 2, ((view.to - view.from) * factor) / 2];
    show(middle - half, middle + half);
  }

  function tools(box) {
    const bar = document.createElement("div");
    bar.className = "tools";
    const order = document.createElement("select");
    order.setAttribute("aria-label", "order of the bars");
    for (const name of Object.keys(orders)) {
      const option = document.createElement("option");
      option.value = name;
      option.textContent = name === "name" ? "by number of the " + ranks.noun : "the most " + name + " first";
      order.append(option);
    }
    order.addEventListener("change", () => {
      view.order = order.value;
      draw();
    });
    bar.append(order);
    if (known.length > 20) {
      const move = (share) => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
      const steps = [["nearer", () => zoom(0.5)], ["farther", () => zoom(2)], ["\u2190", () => move(-0.5)], ["\u2192", () => move(0.5)],
        ["all", () => show(0, known.length)]];
      for (const [name, act] of steps) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = name;
        button.addEventListener("click", act);
        bar.append(button);
      }
      const said = document.createElement("span");
      said.id = "shown-ranks";
      said.textContent = range();
      bar.append(said);
      picking(box);
    }
    box.before(bar);
  }

  // A part of the bars that is drawn over with the pointer is what is shown next.
  function picking(box) {
    box.style.position = "relative";
    let from = null;
    const mark = document.createElement("div");
    mark.className = "picked";
    const share = (event) => {
      const [left, right] = [52, 12];
      const at = event.clientX - box.getBoundingClientRect().left - left;
      return Math.min(1, Math.max(0, at / (box.clientWidth - left - right)));
    };
    const place = (a, b) => {
      const room = box.clientWidth - 64;
      mark.style.left = 52 + Math.min(a, b) * room + "px";
      mark.style.width = Math.abs(a - b) * room + "px";
    };
    box.addEventListener("pointerdown", (event) => {
      from = share(event);
      place(from, from);
      box.append(mark);
    });
    box.addEventListener("pointermove", (event) => {
      if (from !== null) place(from, share(event));
    });
    addEventListener("pointerup", (event) => {
      if (from === null) return;
      const [low, high] = [Math.min(from, share(event)), Math.max(from, share(event))];
      from = null;
      mark.remove();
      const size = view.to - view.from;
      if (high - low > 0.01) show(view.from + low * size, view.from + high * size);
    });
    box.addEventListener("dblclick", () => show(0, known.length));
  }

  const place = document.getElementById("chart-ranks");
  if (place && known.length > 1) tools(place);

  // ---- maps -------------------------------------------------------------------------------------------------------

  function size(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let k = 0;
    while (bytes >= 1024 && k < units.length - 1) {
      bytes /= 1024;
      k += 1;
    }
    return +bytes.toPrecision(2) + " " + units[k];
  }

  // Figures come as 32 times their logarithm.
  const figure = (short) => 2 ** (short / 32) - 1;

  for (const volume of data.volumes) {
    const cells = new Map();
    for (let k = 0, at = 0; k < volume.cells.length; k += 3) {
      at += volume.cells[k];
      cells.set(at, [figure(volume.cells[k + 1]), +Math.round(figure(volume.cells[k + 2])).toPrecision(2)]);
    }
    for (const id of volume.maps) {
      const map = document.getElementById(id);
      if (!map) continue;
      let shown = null;
      const hide = () => {
        if (shown) shown.remove();
        shown = null;
      };
      map.addEventListener("pointerleave", hide);
      map.addEventListener("pointermove", (event) => {
        hide();
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
        const [row, column] = [Math.floor(at.y), Math.floor(at.x)];
        const count = volume.names.length;
        if (row < 0 || column < 0 || row >= count || column >= count) return;
        const cell = cells.get(row * count + column);
        const what = cell ? "about " + size(cell[0]) + " in " + cell[1] + (cell[1] === 1 ? " message" : " messages") : "nothing was sent";
        shown = tip(volume.noun + " " + volume.names[row] + " to " + volume.names[column], [what]);
        shown.classList.add("floating");
        shown.style.left = Math.min(event.clientX + 14, innerWidth - 220) + "px";
        shown.style.top = event.clientY + 14 + "px";
        document.body.append(shown);
      });
    }
  }

  const CHARTS = [["chart-ranks", rankChart]];
