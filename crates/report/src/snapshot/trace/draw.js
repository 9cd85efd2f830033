  // ---- drawing ----------------------------------------------------------------------------------------------------

  const COMPUTES = 0, SERIAL = 1, OPENMP = 2, WAITS = 3, CALLS = 4, POLLS = 5, IDLE = 6, FILES = 7, STATES = 8;
  // Of spans, in the order of the numbers of their states.
  const OUTSIDE = [COMPUTES, SERIAL, OPENMP, IDLE, FILES, FILES, FILES, FILES];
  let paint = null; // the rows' pixels, and what is summed up for each column of one
  let labels = [];

  // A colour of the page as pixels of an image have it.
  function pixelOf(name) {
    pen.fillStyle = colour(name);
    const number = parseInt(String(pen.fillStyle).slice(1, 7), 16);
    return (0xff000000 | ((number & 255) << 16) | (number & 0xff00) | (number >> 16)) >>> 0;
  }

  function prepare() {
    const whole = stage.clientWidth || 640;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    box.left = whole < 600 ? 50 : 110;
    box.width = Math.max(100, whole - box.left - 8);
    box.height = Math.min(560, Math.max(66, shown * 24));
    box.ratio = ratio;
    const [width, height] = [Math.floor(box.width * ratio), Math.floor(box.height * ratio)];
    if (!paint || paint.width !== width || paint.height !== height) {
      canvas.width = Math.round(whole * ratio);
      canvas.height = Math.round((box.height + axisHeight()) * ratio);
      canvas.style.height = box.height + axisHeight() + "px";
      const all = Math.floor(belowRows() * ratio);
      const image = pen.createImageData(width, all);
      paint = {
        width, height, whole: all, image, pixels: new Uint32Array(image.data.buffer), together: new Float32Array(STATES * width),
        sums: new Float32Array(STATES * width), counts: new Uint16Array(width), edges: new Uint8Array(width),
      };
    }
    paint.colours = names.parts.map(([, name]) => pixelOf(name.slice(2)));
    paint.ground = pixelOf("code");
    paint.edge = pixelOf("card");
  }

  // Adds a span of time to the columns in which it lies, or a share of it.
  function add(from, to, state, share = 1) {
    const [sums, width] = [paint.sums, paint.width];
    const a = Math.max(0, from), b = Math.min(width, to);
    if (!(b > a)) return;
    const first = Math.floor(a), last = Math.floor(b);
    if (first === last) {
      sums[STATES * first + state] += (b - a) * share;
      return;
    }
    sums[STATES * first + state] += (first + 1 - a) * share;
    for (let k = first + 1; k < last; k += 1) sums[STATES * k + state] += share;
    if (last < width) sums[STATES * last + state] += (b - last) * share;
  }

  function label(name, a, b, top, height) {
    if (b - a > 45 * box.ratio && height >= 13) labels.push({ name, top, height, from: Math.max(0, a / box.ratio), to: Math.min(box.width, b / box.ratio) });
  }

  // Sums up what a lane does in each column; `top` and `height`: of its row, for the names of long calls.
  function sumUp(lane, top, height) {
    const scale = paint.width / (view.to - view.from);
    const { begin, end, state, until } = calls;
    const [from, to] = here ? [Math.max(view.from, here.from), Math.min(view.to, here.to)] : [view.from, view.to];
    // A lane that is there all the time that is shown is in every column.
    if (lane.begin <= view.from && lane.end >= view.to && from === view.from && to === view.to) paint.everywhere += 1;
    else add((Math.max(from, lane.begin) - view.from) * scale, (Math.min(to, lane.end) - view.from) * scale, COMPUTES);
    for (let k = firstSpanAfter(lane, from); k < lane.lastSpan && spans.begin[k] < to; k += 1) {
      const a = (spans.begin[k] - view.from) * scale, b = (spans.end[k] - view.from) * scale;
      paint.counts[a < 0 ? 0 : Math.floor(a)] += 1;
      const state = OUTSIDE[spans.state[k]];
      // What is not summed up is useful.
      if (state !== COMPUTES) add(a, b, state);
      if (spans.of[k] >= 0) label(names.constructs[spans.of[k]], a, b, top, height);
    }
    let before = -Infinity, wide = 0;
    for (let k = firstEndingAfter(lane, from); k < lane.last && begin[k] < to; k += 1) {
      const a = (begin[k] - view.from) * scale, b = (end[k] - view.from) * scale;
      const column = a < 0 ? 0 : Math.floor(a);
      paint.counts[column] += 1;
      if (state[k] >= WAITED) {
        const c = (Math.min(until[k], end[k]) - view.from) * scale;
        add(a, c, WAITS);
        add(c, b, CALLS);
      } else add(a, b, state[k] === POLLED ? POLLS : CALLS);
      if (Math.min(b - a, wide) > 4 && a - before < 1 && a > 0 && height > 5) paint.edges[column] = 1;
      label((names.sites[calls.site[k]] || [""])[0], a, b, top, height);
      before = b;
      wide = b - a;
    }
  }

  // Columns in which several calls are have all states, each with its share, where the row has the height for it; others the one that took most.
  function paintRow(from, to, isStacked, weight) {
    const { sums, counts, edges, everywhere, width, pixels, colours, together } = paint;
    const parts = new Array(STATES).fill(0);
    for (let x = 0; x < width; x += 1) {
      const all = sums[STATES * x] + everywhere;
      if (all <= 0) continue;
      let rest = all;
      for (let state = COMPUTES + 1; state < STATES; state += 1) rest -= parts[state] = sums[STATES * x + state];
      parts[COMPUTES] = Math.max(0, rest);
      for (let state = COMPUTES; state < STATES; state += 1) together[STATES * x + state] += weight * parts[state];
      if (edges[x] && counts[x] === 1) {
        for (let y = from; y < to; y += 1) pixels[y * width + x] = paint.edge;
      } else if (isStacked && counts[x] > 2) {
        let [y, sum] = [to, 0];
        for (let state = COMPUTES; state < STATES; state += 1) {
          sum += parts[state];
          const end = Math.max(from, Math.round(to - ((to - from) * sum) / all));
          for (; y > end; y -= 1) pixels[(y - 1) * width + x] = colours[state];
        }
      } else {
        let most = COMPUTES;
        for (let state = COMPUTES + 1; state < STATES; state += 1) if (parts[state] > parts[most]) most = state;
        for (let y = from; y < to; y += 1) pixels[y * width + x] = colours[most];
      }
    }
  }

  // Each lane in its row of pixels, or all that share one in that.
  function paintRows() {
    labels = [];
    paint.pixels.fill(paint.ground);
    paint.together.fill(0);
    const high = (paint.height / (view.bottom - view.top));
    const gap = high >= 14 * box.ratio ? Math.round(2 * box.ratio) : high >= 4 ? 1 : 0;
    for (let lane = view.top; lane < view.bottom; ) {
      const from = Math.floor((lane - view.top) * high);
      let next = lane + 1;
      while (next < view.bottom && Math.floor((next - view.top) * high) === from) next += 1;
      paint.everywhere = 0;
      paint.sums.fill(0);
      paint.counts.fill(0);
      paint.edges.fill(0);
      let weight = 1;
      if (here && addFetched(lane, next)) [weight, lane] = [next - lane, next];
      for (; lane < next; lane += 1) sumUp(lanes[lane], topOf(lane), high / box.ratio);
      const to = Math.max(from + 1, Math.min(paint.height, Math.floor((next - view.top) * high)) - gap);
      paintRow(from, to, high >= 6, weight);
    }
    paintTogether();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.putImageData(paint.image, Math.round(box.left * box.ratio), 0);
    pen.setTransform(box.ratio, 0, 0, box.ratio, 0, 0);
  }

  // What all rows do together, below them, and in the key the shares of what is shown.
  function paintTogether() {
    const { together, width, height, whole } = paint;
    const all = new Array(STATES).fill(0);
    together.forEach((share, k) => { all[k % STATES] += share; });
    const sum = all.reduce((one, other) => one + other, 0);
    for (const [state, item] of keyOfStates()) {
      // Of what is not known yet there is no share.
      item.hidden = Boolean(names.note) && ![COMPUTES, CALLS, POLLS].includes(state);
      const less = names.note ? { [COMPUTES]: "outside MPI", [CALLS]: "in MPI" }[state] : null;
      item.lastChild.textContent = (less || names.parts[state][0]) + (sum > 0 ? " " + +((100 * all[state]) / sum).toFixed(1) + " %" : "");
    }
    paint.everywhere = 0;
    paint.sums.set(together);
    // Those that are not useful are taken away from all.
    for (let x = 0; x < width; x += 1) for (let state = COMPUTES + 1; state < STATES; state += 1) paint.sums[STATES * x] += together[STATES * x + state];
    paint.edges.fill(0);
    paint.counts.fill(3);
    const top = height + Math.round(6 * box.ratio);
    paint.pixels.fill(0, height * width, top * width);
    paintRow(top, whole, true, 0);
  }

  // The states of the key, each with its item: it has only those that there are.
  let keyItems = null;
  function keyOfStates() {
    if (!keyItems) {
      const stateOf = (item) => names.parts.findIndex(([name]) => name === item.textContent.trim());
      keyItems = [...figure.querySelectorAll(".key li")].map((item) => [stateOf(item), item]).filter(([state]) => state >= 0);
    }
    return keyItems;
  }

  // A line between two points of time and height, as far as it is shown.
  function clipped(t1, y1, t2, y2) {
    const y = (time) => (t2 === t1 ? y1 : y1 + ((time - t1) / (t2 - t1)) * (y2 - y1));
    const inside = (time) => Math.min(Math.max(time, Math.min(view.from, view.to)), view.to);
    const [a, b] = [inside(t1), inside(t2)];
    return { x1: across(a), y1: a === t1 ? y1 : y(a), x2: across(b), y2: b === t2 ? y2 : y(b) };
  }

  // From the middle of one row to that of another.
  function between(from, sent, to, received) {
    const middle = rowHeight() / 2;
    return clipped(sent, topOf(calls.lane[from]) + middle, received, topOf(calls.lane[to]) + middle);
  }

  const wayOf = (k) => between(messages.from[k], messages.sent[k], messages.to[k], messages.received[k]);

  // Whether all messages of the shown part could be drawn.
  function drawMessages() {
    lines = [];
    const shown = [];
    for (let k = 0; k < messages.count; k += 1) {
      const sent = messages.sent[k], received = messages.received[k];
      if ((sent > view.to && received > view.to) || (sent < view.from && received < view.from)) continue;
      const one = calls.lane[messages.from[k]], other = calls.lane[messages.to[k]];
      if (Math.max(one, other) < view.top || Math.min(one, other) >= view.bottom || Math.max(one, other) >= shown) continue;
      if (shown.length === MOST_LINES) return false;
      shown.push(k);
    }
    const few = shown.length < 300;
    // The colour of the card is seen on those of all states.
    pen.strokeStyle = pen.fillStyle = colour("card");
    pen.globalAlpha = few ? 0.9 : 0.5;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const k of shown) {
      const line = wayOf(k);
      pen.moveTo(line.x1, line.y1);
      pen.lineTo(line.x2, line.y2);
      lines.push(Object.assign(line, { message: k }));
      if (few && messages.received[k] <= view.to) pen.rect(line.x2 - 1, line.y2 - 1, 2, 2);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    return true;
  }

  // From where each rank began a collective call to where it ended it.
  function drawCollectives() {
    const shown = [];
    let corners = 0;
    for (let k = 0; k < groups.count; k += 1) {
      if (groups.begin[k] > view.to || groups.end[k] < view.from) continue;
      corners += groups.first[k + 1] - groups.first[k];
      if (shown.length === MOST_BANDS || corners > 50 * MOST_BANDS) return;
      shown.push(k);
    }
    const limit = (x) => Math.min(Math.max(x, -100), box.left + box.width + 100);
    pen.fillStyle = colour("card");
    pen.globalAlpha = 0.2;
    for (const k of shown) {
      const of = groups.members.subarray(groups.first[k], groups.first[k + 1]).filter((call) => calls.lane[call] < shown);
      pen.beginPath();
      for (const call of of) {
        const [x, y] = [limit(across(calls.begin[call])), topOf(calls.lane[call])];
        pen.lineTo(x, y);
        pen.lineTo(x, y + rowHeight());
      }
      for (let n = of.length - 1; n >= 0; n -= 1) {
        const [x, y] = [limit(across(calls.end[of[n]])), topOf(calls.lane[of[n]])];
        pen.lineTo(x, y + rowHeight());
        pen.lineTo(x, y);
      }
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  function drawLabels() {
    pen.font = "11px " + FONT;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.fillStyle = colour("card");
    for (const { name, top, height, from, to } of labels.slice(0, 600)) {
      const room = Math.floor((to - from - 6) / 6.4);
      if (room >= 5) pen.fillText(short(name, room), box.left + from + 4, top + height / 2 - 1);
    }
  }

  // What was seen of threads from outside, each with the place of its row; the key gets their colours.
  let [marks, markedIn] = [[], null];
  function marksOf() {
    if (markedIn === names) return marks;
    markedIn = names;
    const places = new Map(events.rows.map((row) => [(row.worker ? row.lane : row.number) + "." + (row.worker || 0), row.place]));
    const all = (names.marks || []).map(([lane, thread, kind, begin, end, text]) => ({ place: places.get(lane + "." + thread), kind, begin, end, text }));
    marks = all.filter((mark) => mark.place !== undefined);
    for (const item of figure.querySelectorAll(".key .mark")) item.remove();
    (names.marked || []).forEach(([name, of], kind) => {
      if (!marks.some((mark) => mark.kind === kind)) return;
      const [item, dot] = [document.createElement("li"), document.createElement("span")];
      [item.className, dot.className] = ["mark", "dot small"];
      dot.style.setProperty("--c", "var(" + of + ")");
      item.append(dot, name);
      figure.querySelector(".key").append(item);
    });
    return marks;
  }

  // Where a mark is drawn, at the lower edge of its row; null where that is not shown.
  function placeOf({ place, begin, end }) {
    const row = events.places[place];
    if (row < view.top || row >= Math.min(view.bottom, shown) || end < view.from || begin > view.to) return null;
    const [x, right] = [across(Math.max(begin, view.from)), across(Math.min(end, view.to))];
    const tall = Math.min(5, rowHeight() / 4);
    return { x, width: Math.max(3, right - x), y: topOf(row) + rowHeight() - tall - (rowHeight() >= 14 ? 2 : 0), tall };
  }

  function drawMarks() {
    const colours = (names.marked || []).map(([, of]) => colour(of.slice(2)));
    const card = colour("card");
    for (const mark of marksOf()) {
      const place = placeOf(mark);
      if (!place) continue;
      pen.fillStyle = card;
      pen.fillRect(place.x - 1, place.y - 1, place.width + 2, place.tall + 1);
      pen.fillStyle = colours[mark.kind];
      pen.fillRect(place.x, place.y, place.width, place.tall);
    }
  }

  // What is chosen, and the way to the call for which it waited.
  function drawChosen() {
    if (!chosen) return;
    pen.strokeStyle = colour("text");
    pen.lineWidth = 2;
    if (chosen.phase) return frame(chosen.phase, 0, box.height);
    if (chosen.mark) {
      const place = placeOf(chosen.mark);
      return place && frame(chosen.mark, place.y - 2, place.tall + 4);
    }
    const tall = rowHeight() > 8 ? rowHeight() - 2 : rowHeight();
    if (chosen.span !== undefined) return frame({ begin: spans.begin[chosen.span], end: spans.end[chosen.span] }, topOf(chosen.row), tall);
    if (chosen.call === undefined) return stroke(wayOf(chosen.message));
    const call = chosen.call;
    frame({ begin: calls.begin[call], end: calls.end[call] }, topOf(calls.lane[call]), tall);
    if (calls.state[call] < WAITED) return;
    pen.setLineDash([5, 4]);
    const late = calls.late[call];
    if (calls.lane[late] < shown) stroke(between(late, calls.begin[late], call, calls.until[call]));
    pen.setLineDash([]);
  }

  function frame({ begin, end }, top, tall) {
    const [x, right] = [Math.max(-10, across(begin)), Math.min(box.left + box.width + 10, across(end))];
    if (right >= box.left) pen.strokeRect(x - 1, top, Math.max(2, right - x) + 2, tall);
  }

  // What the program named, below the rows.
  function drawPhases() {
    pen.font = "11px " + FONT;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    for (const { name, begin, end, level } of phases.all) {
      if (level >= phases.levels || end < view.from || begin > view.to) continue;
      const [x, right] = [Math.max(box.left, across(begin)), Math.min(box.left + box.width, across(end))];
      const y = belowRows() + 2 + LEVEL * level;
      pen.fillStyle = colour("band");
      pen.fillRect(x, y, Math.max(1, right - x - 1), LEVEL - 2);
      pen.fillStyle = colour("text");
      const room = Math.floor((right - x - 6) / 6.4);
      if (room >= 3) pen.fillText(short(names.phases[name], room), x + 4, y + LEVEL / 2 - 1);
    }
  }

  function stroke({ x1, y1, x2, y2 }) {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }

  // Names of the rows as far as they have the height.
  function drawNames() {
    const step = Math.max(1, Math.ceil(13 / rowHeight()));
    pen.font = "12px " + FONT;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.fillStyle = colour("muted");
    const isNarrow = box.left < 80;
    let free = 0;
    for (let lane = view.top; lane < view.bottom; lane += step) {
      const y = Math.max(7, topOf(lane) + rowHeight() / 2);
      if (y - 7 < free) continue;
      free = y + 6;
      const { rank, thread, world, worker } = lanes[lane];
      const below = worker ? "." + worker : thread === null ? "" : "." + thread;
      const name = isNarrow ? rank + (world ? "w" + world : "") + below : worker ? "thread " + worker : rankName(lanes[lane]);
      pen.fillText(short(name, isNarrow ? 7 : 18), box.left - 6, y);
    }
    pen.fillText(isNarrow ? "all" : "together", box.left - 6, box.height + TOGETHER / 2 + 3);
  }

  // Moments of 1, 2 or 5 of a power of ten; those of a short part far from the begin are counted from the first of them.
  function drawAxis() {
    const length = view.to - view.from;
    const rough = length / Math.max(2, box.width / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
    const first = Math.ceil(view.from / step) * step;
    const from = first > 2000 * step ? first : 0;
    const largest = view.to - from;
    const [divisor, unit] = largest < 1e3 ? [1, "ns"] : largest < 1e6 ? [1e3, "us"] : largest < 1e9 ? [1e6, "ms"] : [1e9, "s"];
    const digits = Math.max(0, -Math.floor(Math.log10(step / divisor) + 1e-9));
    pen.font = "11px " + FONT;
    pen.textBaseline = "top";
    pen.fillStyle = colour("muted");
    pen.strokeStyle = colour("muted");
    pen.lineWidth = 1;
    const top = belowRows() + LEVEL * phases.levels;
    for (let time = first; time <= view.to; time += step) {
      const x = across(time);
      stroke({ x1: x, y1: top, x2: x, y2: top + 4 });
      const isBase = from > 0 && time === first;
      const text = isBase ? moment(time) : (from > 0 ? "+" : "") + ((time - from) / divisor).toFixed(digits) + " " + unit;
      const half = pen.measureText(text).width / 2;
      pen.textAlign = "left";
      pen.fillText(text, Math.max(0, Math.min(x - half, box.left + box.width + 8 - 2 * half)), top + 8);
    }
  }

  function draw() {
    prepare();
    paintRows();
    pen.save();
    pen.beginPath();
    pen.rect(box.left, 0, box.width, box.height);
    pen.clip();
    drawCollectives();
    drawLabels();
    const hasAll = drawMessages();
    drawMarks();
    drawChosen();
    pen.restore();
    drawNames();
    drawPhases();
    drawAxis();
    const rows = view.bottom - view.top < shown ? ", " + rankName(lanes[view.top]) + " to " + rankName(lanes[view.bottom - 1]) : "";
    const further = here && here.shares ? "; zoom in to see calls and messages" : hasAll ? "" : "; zoom in to see messages as lines (up to " + MOST_LINES + ")";
    const digits = Math.min(9, Math.max(0, 4 - Math.floor(Math.log10((view.to - view.from) / 1e9))));
    figure.querySelector(".shown").textContent = moment(view.from, digits) + " to " + moment(view.to, digits) + " (" + lasting(view.to - view.from) + ")" + rows + further;
  }

  let isAsked = false;
  function repaint() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  }

