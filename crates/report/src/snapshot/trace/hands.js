  // ---- hands ------------------------------------------------------------------------------------------------------

  // The longest wait in sight.
  function longest() {
    let [best, most] = [null, 0];
    for (const lane of lanes.slice(view.top, view.bottom)) {
      for (let k = firstEndingAfter(lane, view.from); k < lane.last && calls.begin[k] < view.to; k += 1) {
        if (calls.state[k] < WAITED || calls.until[k] - calls.begin[k] <= most) continue;
        [best, most] = [k, calls.until[k] - calls.begin[k]];
      }
    }
    if (best === null) return;
    show(calls.begin[best] - most / 2, calls.end[best] + most / 2);
    choose({ call: best });
  }

  // The next call of the same rank, or the one before; the first in sight where none is chosen.
  function step(by) {
    if (!chosen || chosen.call === undefined) {
      const lane = lanes[view.top];
      const first = firstEndingAfter(lane, view.from);
      if (first < lane.last) go({ call: first });
      return undefined;
    }
    const next = chosen.call + by;
    // Behind the edge of what was fetched are only calls that belong to others.
    if (here && (!(calls.end[next] > here.from) || !(calls.begin[next] < here.to))) return move(by / 2);
    if (next >= 0 && next < calls.count && calls.lane[next] === calls.lane[chosen.call]) go({ call: next });
    return undefined;
  }

  // The call of the rank above or below at the same time; all ranks move where not all are shown and none is chosen.
  function climb(by) {
    if (!chosen || chosen.call === undefined) return move(0, by * Math.max(1, Math.round((view.bottom - view.top) / 4)));
    let row = calls.lane[chosen.call] + by;
    while (row < shown && lanes[row] && lanes[row].worker) row += by;
    const lane = row < shown ? lanes[row] : null;
    if (!lane || lane.first === lane.last) return undefined;
    return go({ call: Math.min(lane.last - 1, firstEndingAfter(lane, calls.begin[chosen.call])) });
  }

  const ACTS = {
    nearer: () => zoom(0.5), farther: () => zoom(2), left: () => move(-0.25), right: () => move(0.25), whole,
    before: () => step(-1), after: () => step(1), longest,
  };
  const KEYS = {
    "+": ACTS.nearer, "=": ACTS.nearer, "-": ACTS.farther, ArrowLeft: ACTS.left, ArrowRight: ACTS.right, Escape: whole, 0: whole,
    n: ACTS.after, p: ACTS.before, ArrowUp: () => climb(-1), ArrowDown: () => climb(1),
    Home: () => move(-1e12), End: () => move(1e12),
  };

  // ---- messages by sender and receiver: the deeper, the more bytes -----------------------------------------------------

  let pairsIn = null;
  function showPairs() {
    if (pairsIn === names) return;
    pairsIn = names;
    const pairs = names.pairs || [];
    const ranks = [...new Set(pairs.flatMap(([world, from, to]) => [world + " " + from, world + " " + to]))];
    const ordered = ranks.map((of) => of.split(" ").map(Number)).sort(([a, b], [c, d]) => a - c || b - d).map(([world, rank]) => world + " " + rank);
    const number = new Map(ordered.map((of, k) => [of, k]));
    pairsBox.hidden = !pairs.length;
    if (!pairs.length) return;
    const cell = Math.max(1, Math.min(22, Math.floor(280 / ordered.length)));
    const [ratio, size] = [Math.min(3, window.devicePixelRatio || 1), cell * ordered.length];
    const [map, caption] = [pairsBox.querySelector("canvas"), pairsBox.querySelector("p")];
    [map.width, map.height] = [Math.round((size + 30) * ratio), Math.round((size + 18) * ratio)];
    map.style.width = size + 30 + "px";
    const ink = map.getContext("2d");
    ink.scale(ratio, ratio);
    ink.font = "11px " + FONT;
    ink.fillStyle = colour("muted");
    const last = ordered.length - 1;
    const label = (k) => ordered[k].split(" ")[1];
    for (const k of cell > 13 ? ordered.keys() : [0, last]) {
      ink.textAlign = "right";
      ink.fillText(label(k), 26, 18 + cell * (k + 0.5) + 4);
      ink.textAlign = "center";
      ink.fillText(label(k), 30 + cell * (k + 0.5), 12);
    }
    ink.fillStyle = colour("code");
    ink.fillRect(30, 18, size, size);
    const most = Math.max(1, ...pairs.map(([, , , , bytes]) => bytes));
    const cells = new Map();
    ink.fillStyle = colour("n0");
    for (const pair of pairs) {
      const [world, from, to, , bytes] = pair;
      const [row, column] = [number.get(world + " " + from), number.get(world + " " + to)];
      cells.set(row + " " + column, pair);
      ink.globalAlpha = 0.15 + (0.85 * bytes) / most;
      ink.fillRect(30 + cell * column, 18 + cell * row, Math.max(1, cell - 1), Math.max(1, cell - 1));
    }
    caption.textContent = "Messages: rows send, columns receive; the deepest cell has " + amount(most) + ". Click on a cell for its slowest messages.";
    const pairAt = (event) => {
      const edge = map.getBoundingClientRect();
      return cells.get(Math.floor((event.clientY - edge.top - 18) / cell) + " " + Math.floor((event.clientX - edge.left - 30) / cell));
    };
    map.onclick = (event) => {
      const pair = pairAt(event);
      if (pair) choosePair(pair);
    };
    map.onmousemove = (event) => { map.style.cursor = pairAt(event) ? "pointer" : ""; };
  }

  function choosePair([world, from, to, count, bytes, slowest]) {
    chosen = kept = null;
    const of = (rank) => rankName({ rank, world, thread: null });
    const rows = slowest.map(([time, size, lane, sent, other, begun, end]) => {
      const place = (number) => events.rows.find((row) => row.number === number).place;
      const key = { from: [place(lane), sent], to: [place(other), begun] };
      return [lasting(time) + " for " + amount(size) + " until " + moment(end), () => goToMessage(key, end - time, end)];
    });
    const first = count + (count === 1 ? " message, " : " messages, ") + amount(bytes) + (rows.length ? "; the slowest took" : "; how long they took is not known: the receivers came later");
    put("messages from " + of(from) + " to " + of(to), [[first]].concat(rows.map(([text, act]) => [text, act, "go there"])), "stays");
    repaint();
  }

  let hover = null;
  function hide() {
    if (hover) hover.remove();
    hover = null;
  }

  function point(event) {
    hide();
    const [x, y] = place(event);
    const found = x >= box.left ? at(x, y) : null;
    canvas.style.cursor = found || (x < box.left && y < box.height) ? "pointer" : "crosshair";
    if (!found) return;
    const { title, rows } = known(found);
    hover = tip(title, rows.map(([text]) => text));
    hover.classList.add("floating");
    hover.style.maxWidth = "26rem";
    document.body.append(hover);
    hover.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - hover.offsetWidth - 8)) + "px";
    hover.style.top = (event.clientY + hover.offsetHeight + 20 > innerHeight ? event.clientY - hover.offsetHeight - 10 : event.clientY + 14) + "px";
  }

  const place = (event) => {
    const edge = canvas.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  };

  // Over a part it shows that, with Shift or a finger it moves; ranks are picked, too, where rows are low.
  function drag() {
    let held = null;
    const mark = document.createElement("div");
    mark.className = "picked";
    const inside = (x) => Math.min(Math.max(x, box.left), box.left + box.width);
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      hide();
      const [x, y] = place(event);
      held = { x, y, moves: event.shiftKey || event.pointerType === "touch", view: { ...view }, isLow: rowHeight() < 14, isDrag: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) point(event);
    });
    addEventListener("pointermove", (event) => {
      if (!held) return undefined;
      const [x, y] = place(event);
      held.isDrag = held.isDrag || Math.hypot(x - held.x, y - held.y) > 4;
      if (!held.isDrag) return undefined;
      if (held.moves) {
        const time = ((held.x - x) / box.width) * (view.to - view.from);
        const rows = Math.round((held.y - y) / rowHeight());
        const from = Math.min(Math.max(0, held.view.from + time), events.span - (view.to - view.from));
        return show(from, from + (view.to - view.from), held.view.top + rows, held.view.bottom + rows);
      }
      stage.append(mark);
      const [left, right] = [Math.min(inside(held.x), inside(x)), Math.max(inside(held.x), inside(x))];
      const [top, bottom] = held.isLow ? [Math.min(held.y, y), Math.max(held.y, y)] : [0, box.height];
      Object.assign(mark.style, { left: left + "px", width: right - left + "px", top: Math.max(0, top) + "px", height: Math.min(bottom, box.height) - Math.max(0, top) + "px" });
      return undefined;
    });
    const release = (event) => {
      if (!held) return;
      const [was, [x, y]] = [held, place(event)];
      held = null;
      mark.remove();
      if (event.type === "pointercancel") return;
      if (!was.isDrag && x < box.left && y >= 0 && y < box.height) {
        pickRank(lanes[laneAt(y)].rank, event.shiftKey || event.ctrlKey || event.metaKey);
        return;
      }
      if (!was.isDrag) {
        const found = at(x, y);
        if (found) choose(found);
        if (found && found.phase) show(found.phase.begin, found.phase.end);
        return;
      }
      if (was.moves) return;
      const times = [timeAt(inside(was.x)), timeAt(inside(x))].sort((a, b) => a - b);
      const rows = [was.y, y].map((of) => view.top + of / rowHeight()).sort((a, b) => a - b);
      if (was.isLow && rows[1] - rows[0] > 2) show(...times, Math.floor(rows[0]), Math.ceil(rows[1]));
      else show(...times);
    };
    addEventListener("pointerup", release);
    addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", hide);
    canvas.addEventListener("dblclick", whole);
  }

  // Who turns the wheel to go down the page is not stopped on the way.
  function wheel() {
    let scrolled = -1e9;
    addEventListener("scroll", () => {
      scrolled = performance.now();
      hide();
    }, { passive: true });
    canvas.addEventListener("wheel", (event) => {
      const isWhole = view.to - view.from >= events.span && event.deltaY > 0;
      if (performance.now() - scrolled < 300 || isWhole || event.deltaY === 0) return;
      event.preventDefault();
      hide();
      const lines = event.deltaMode === 1 ? 20 : 1;
      zoom(1.0025 ** Math.min(300, Math.max(-300, event.deltaY * lines)), timeAt(place(event)[0]));
    }, { passive: false });
  }

  function listen() {
    drag();
    wheel();
    canvas.addEventListener("keydown", (event) => {
      const act = !event.ctrlKey && !event.altKey && !event.metaKey && KEYS[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    for (const button of figure.querySelectorAll("[data-act]")) button.addEventListener("click", ACTS[button.dataset.act]);
    ranksField.addEventListener("change", () => {
      const ranges = rangesOf(ranksField.value);
      if (ranges) askRanks(ranges);
      else chosenRow.textContent = "ranks " + ranksField.value + ": expected a list, such as 0,3-5";
    });
    addEventListener("resize", () => show(view.from, view.to));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      pairsIn = null;
      showPairs();
      repaint();
    });
  }

  function begin(all) {
    take(all);
    ({ phases } = all);
    if (!lanes.length || !(events.span > 0)) {
      if (isServed && names.goes_on) setTimeout(() => fetchAll().then(begin), 600);
      else if (isServed) say("No rank called MPI or OpenMP while it was traced: there is nothing to draw.");
      return;
    }
    Object.assign(view, { from: 0, to: events.span, top: 0, bottom: shown });
    figure.hidden = false;
    if (drawing) drawing.hidden = true;
    draw();
    showPairs();
    listen();
    if (isServed) show(...firstShown);
  }

  const first = isServed ? fetchAll() : inflated(figure.querySelector("script").textContent).then((bytes) => eventsOf(new Numbers(bytes)));
  first.then(begin).catch((error) => {
    figure.hidden = true;
    if (drawing) drawing.hidden = false;
    if (isServed) say("numawise view does not answer (" + error.message + "): start it again.");
    else say("The calls one by one cannot be unpacked (" + error.message + "): the drawing shows spans of time.");
  });
})();

