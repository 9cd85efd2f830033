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
    while (lanes[row] && lanes[row].worker) row += by;
    const lane = lanes[row];
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

  let hover = null;
  function hide() {
    if (hover) hover.remove();
    hover = null;
  }

  function point(event) {
    hide();
    const [x, y] = place(event);
    const found = x >= box.left ? at(x, y) : null;
    canvas.style.cursor = found ? "pointer" : "crosshair";
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
    addEventListener("resize", () => show(view.from, view.to));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  }

  function begin(all) {
    events = all;
    ({ lanes, calls, messages, groups, spans, phases } = all);
    if (!lanes.length || !(events.span > 0)) {
      if (isServed && names.goes_on) setTimeout(() => fetchAll().then(begin), 600);
      else if (isServed) say("No rank called MPI or OpenMP while it was traced: there is nothing to draw.");
      return;
    }
    Object.assign(view, { from: 0, to: events.span, top: 0, bottom: lanes.length });
    figure.hidden = false;
    if (drawing) drawing.hidden = true;
    draw();
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

