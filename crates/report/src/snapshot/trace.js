// The calls of a trace, each in the row of its rank, nearer and farther; what is known of a call or of a message where a person points. Without it
// a drawing of spans of time stands in its place.
(function () {
  const figure = document.getElementById("events");
  if (!figure) return;
  const drawing = document.querySelector('[data-until="events"]');
  const say = (text) => {
    const line = document.createElement("p");
    line.className = "lead";
    line.textContent = text;
    figure.before(line);
  };
  if (typeof DecompressionStream === "undefined") {
    say("This browser cannot unpack the calls one by one: the drawing shows spans of time.");
    return;
  }
  const names = data.events;
  // All that is unpacked, and the parts of the page.
  let events, lanes, calls, messages, groups;
  const canvas = figure.querySelector("canvas");
  const stage = canvas.parentElement;
  const pen = canvas.getContext("2d");
  const chosenRow = figure.querySelector(".chosen");

  // ---- what is shown: a span of time and some ranks, in a box of the page's pixels -----------------------------------

  const SHORTEST = 20; // nanoseconds
  const MOST_LINES = 2000;
  const MOST_BANDS = 400;
  const view = { from: 0, to: 1, top: 0, bottom: 1 };
  const box = { left: 0, width: 1, height: 1, ratio: 1 };
  let chosen = null; // { call } or { message }
  let lines = []; // the messages that are drawn

  const AXIS = 24;
  const across = (time) => box.left + ((time - view.from) / (view.to - view.from)) * box.width;
  const timeAt = (x) => view.from + ((x - box.left) / box.width) * (view.to - view.from);
  const rowHeight = () => box.height / (view.bottom - view.top);
  const topOf = (lane) => (lane - view.top) * rowHeight();
  const laneAt = (y) => Math.floor(view.top + y / rowHeight());

  function show(from, to, top = view.top, bottom = view.bottom) {
    const length = Math.min(events.span, Math.max(Math.min(SHORTEST, events.span), to - from));
    view.from = Math.min(Math.max(0, from), events.span - length);
    view.to = view.from + length;
    const rows = Math.min(lanes.length, Math.max(1, Math.round(bottom - top)));
    view.top = Math.min(Math.max(0, Math.round(top)), lanes.length - rows);
    view.bottom = view.top + rows;
    repaint();
  }

  function zoom(factor, around = (view.from + view.to) / 2) {
    show(around - (around - view.from) * factor, around + (view.to - around) * factor);
  }

  const move = (share, rows = 0) => {
    const [time, length] = [share * (view.to - view.from), view.to - view.from];
    const from = Math.min(Math.max(0, view.from + time), events.span - length);
    show(from, from + length, view.top + rows, view.bottom + rows);
  };
  const whole = () => show(0, events.span, 0, lanes.length);

  // ---- words ----------------------------------------------------------------------------------------------------

  function scaled(value, units, base) {
    let k = 0;
    while (value >= base && k < units.length - 1) {
      value /= base;
      k += 1;
    }
    return +value.toPrecision(4) + " " + units[k];
  }
  const lasting = (time) => scaled(Math.round(time), ["ns", "us", "ms", "s"], 1000);
  const amount = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], 1024);
  // To the nanosecond.
  const moment = (time, digits = 9) => (time < 1e9
    ? +(time / 1e6).toFixed(Math.max(0, digits - 3)) + " ms"
    : +(time / 1e9).toFixed(digits) + " s");
  const rankName = (lane) => "rank " + lane.rank + (lane.thread === null ? "" : ", thread " + lane.thread);
  const laneName = (call) => rankName(lanes[calls.lane[call]]);
  const siteName = (call) => {
    const [name, place] = names.sites[calls.site[call]] || ["a call", ""];
    return name + " " + place;
  };
  const callName = (call) => laneName(call) + ": " + siteName(call);
  const times = (count) => (count === 1 ? "once" : count + " times");

  // A title and lines; a line may lead to another call or message.
  function known(of) {
    return of.call === undefined ? knownOfMessage(of.message) : knownOfCall(of.call);
  }

  function knownOfCall(call) {
    const rows = [[
      "began at " + moment(calls.begin[call]) + ", took " + lasting(calls.end[call] - calls.begin[call]) +
        (calls.bytes[call] ? ", " + amount(calls.bytes[call]) : ""),
    ]];
    const state = calls.state[call];
    if (state === POLLED) rows.push(["asked " + times(calls.until[call]) + " and found nothing"]);
    if (state >= WAITED) {
      const late = calls.late[call];
      rows.push(["waited " + lasting(calls.until[call] - calls.begin[call]) + " for " + callName(late), { call: late }]);
      rows.push([names.kinds[state - WAITED]]);
    }
    return { title: callName(call), rows };
  }

  function knownOfMessage(message) {
    const [from, to] = [messages.from[message], messages.to[message]];
    return {
      title: "message from " + laneName(from) + " to " + laneName(to),
      rows: [
        [amount(messages.bytes[message]) + ", tag " + messages.tag[message]],
        ["sent at " + moment(messages.sent[message]) + " by " + siteName(from), { call: from }],
        ["received at " + moment(messages.received[message]) + " by " + siteName(to), { call: to }],
      ],
    };
  }

  // The first messages of a call.
  function messagesOfCall(call) {
    const rows = [];
    for (let k = 0; k < messages.count && rows.length < 4; k += 1) {
      if (messages.from[k] === call) rows.push(["sent " + amount(messages.bytes[k]) + " to " + laneName(messages.to[k]), { message: k }]);
      else if (messages.to[k] === call) rows.push(["received " + amount(messages.bytes[k]) + " from " + laneName(messages.from[k]), { message: k }]);
    }
    return rows;
  }

  function choose(of) {
    chosen = of;
    const { title, rows } = known(of);
    const head = document.createElement("b");
    head.textContent = title;
    chosenRow.replaceChildren(head);
    for (const [text, target] of of.call === undefined ? rows : rows.concat(messagesOfCall(of.call))) {
      const row = document.createElement("div");
      row.textContent = text;
      if (target) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = target.call === undefined ? "show the message" : "go there";
        button.addEventListener("click", () => go(target));
        row.append(" ", button);
      }
      chosenRow.append(row);
    }
    repaint();
  }

  // Chooses what is perhaps not in the part that is shown, and moves there.
  function go(target) {
    const call = target.call === undefined ? messages.from[target.message] : target.call;
    const last = target.call === undefined ? messages.to[target.message] : call;
    const [begin, end] = [calls.begin[call], Math.max(calls.end[call], calls.end[last])];
    const length = Math.max(view.to - view.from, 1.2 * (end - begin));
    const isSeen = begin >= view.from && end <= view.to;
    const middle = isSeen ? (view.from + view.to) / 2 : (begin + end) / 2;
    const rows = view.bottom - view.top;
    const lane = calls.lane[call];
    const top = lane >= view.top && lane < view.bottom ? view.top : lane - rows / 2;
    show(middle - length / 2, middle + length / 2, top, top + rows);
    choose(target);
  }

  // ---- finding ----------------------------------------------------------------------------------------------------

  // The first call of a lane that ends behind a moment.
  function firstEndingAfter(lane, time) {
    let [low, high] = [lane.first, lane.last];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (calls.end[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The call at a place, or the longest of those that are less than two pixels away.
  function callAt(x, y) {
    const lane = lanes[laneAt(y)];
    if (!lane || y < 0 || y >= box.height) return null;
    const [from, to] = [timeAt(x - 2), timeAt(x + 2)];
    const time = timeAt(x);
    let best = null;
    for (let k = firstEndingAfter(lane, from); k < lane.last && calls.begin[k] <= to; k += 1) {
      if (calls.begin[k] <= time && calls.end[k] > time && across(calls.end[k]) - across(calls.begin[k]) > 2) return { call: k };
      if (best === null || calls.end[k] - calls.begin[k] > calls.end[best] - calls.begin[best]) best = k;
    }
    return best === null ? null : { call: best };
  }

  function messageAt(x, y) {
    let [best, least] = [null, 3.5];
    for (const line of lines) {
      const [dx, dy] = [line.x2 - line.x1, line.y2 - line.y1];
      const along = Math.min(1, Math.max(0, ((x - line.x1) * dx + (y - line.y1) * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(x - line.x1 - along * dx, y - line.y1 - along * dy);
      if (distance < least) [best, least] = [{ message: line.message }, distance];
    }
    return best;
  }

  const at = (x, y) => messageAt(x, y) || callAt(x, y);

  // ---- drawing ----------------------------------------------------------------------------------------------------

  const COMPUTES = 0, WAITS = 1, CALLS = 2, POLLS = 3;
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
    box.height = Math.min(560, Math.max(66, lanes.length * 24));
    box.ratio = ratio;
    const [width, height] = [Math.floor(box.width * ratio), Math.floor(box.height * ratio)];
    if (!paint || paint.width !== width || paint.height !== height) {
      canvas.width = Math.round(whole * ratio);
      canvas.height = Math.round((box.height + AXIS) * ratio);
      canvas.style.height = box.height + AXIS + "px";
      const image = pen.createImageData(width, height);
      paint = {
        width, height, image, pixels: new Uint32Array(image.data.buffer),
        sums: new Float32Array(4 * width), counts: new Uint16Array(width), edges: new Uint8Array(width),
      };
    }
    paint.colours = names.parts.map(([, name]) => pixelOf(name.slice(2)));
    paint.ground = pixelOf("code");
    paint.edge = pixelOf("card");
  }

  // Adds a span of time to the columns in which it lies.
  function add(from, to, state) {
    const [sums, width] = [paint.sums, paint.width];
    const a = Math.max(0, from), b = Math.min(width, to);
    if (!(b > a)) return;
    const first = Math.floor(a), last = Math.floor(b);
    if (first === last) {
      sums[4 * first + state] += b - a;
      return;
    }
    sums[4 * first + state] += first + 1 - a;
    for (let k = first + 1; k < last; k += 1) sums[4 * k + state] += 1;
    if (last < width) sums[4 * last + state] += b - last;
  }

  // Sums up what a lane does in each column; `top` and `height`: of its row, for the names of long calls.
  function sumUp(lane, top, height) {
    const scale = paint.width / (view.to - view.from);
    const { begin, end, state, until } = calls;
    // A lane that is there all the time that is shown is in every column.
    if (lane.begin <= view.from && lane.end >= view.to) paint.everywhere += 1;
    else add((lane.begin - view.from) * scale, (lane.end - view.from) * scale, COMPUTES);
    let before = -Infinity, wide = 0;
    for (let k = firstEndingAfter(lane, view.from); k < lane.last && begin[k] < view.to; k += 1) {
      const a = (begin[k] - view.from) * scale, b = (end[k] - view.from) * scale;
      const column = a < 0 ? 0 : Math.floor(a);
      paint.counts[column] += 1;
      if (state[k] >= WAITED) {
        const c = (Math.min(until[k], end[k]) - view.from) * scale;
        add(a, c, WAITS);
        add(c, b, CALLS);
      } else add(a, b, state[k] === POLLED ? POLLS : CALLS);
      if (Math.min(b - a, wide) > 4 && a - before < 1 && a > 0 && height > 5) paint.edges[column] = 1;
      if (b - a > 45 * box.ratio && height >= 13) labels.push({ call: k, top, height, from: Math.max(0, a / box.ratio), to: Math.min(box.width, b / box.ratio) });
      before = b;
      wide = b - a;
    }
  }

  // Columns in which several calls are have all states, each with its share, where the row has the height for it; others the one that took most.
  function paintRow(from, to, isStacked) {
    const { sums, counts, edges, everywhere, width, pixels, colours } = paint;
    const parts = [0, 0, 0, 0];
    for (let x = 0; x < width; x += 1) {
      const all = sums[4 * x] + everywhere;
      if (all <= 0) continue;
      const waits = sums[4 * x + WAITS], inCalls = sums[4 * x + CALLS], polls = sums[4 * x + POLLS];
      parts[0] = Math.max(0, all - waits - inCalls - polls);
      parts[1] = waits;
      parts[2] = inCalls;
      parts[3] = polls;
      if (edges[x] && counts[x] === 1) {
        for (let y = from; y < to; y += 1) pixels[y * width + x] = paint.edge;
      } else if (isStacked && counts[x] > 2) {
        let [y, sum] = [to, 0];
        for (let state = COMPUTES; state <= POLLS; state += 1) {
          sum += parts[state];
          const end = Math.max(from, Math.round(to - ((to - from) * sum) / all));
          for (; y > end; y -= 1) pixels[(y - 1) * width + x] = colours[state];
        }
      } else {
        let most = COMPUTES;
        for (let state = WAITS; state <= POLLS; state += 1) if (parts[state] > parts[most]) most = state;
        for (let y = from; y < to; y += 1) pixels[y * width + x] = colours[most];
      }
    }
  }

  // Each lane in its row of pixels, or all that share one in that.
  function paintRows() {
    labels = [];
    paint.pixels.fill(paint.ground);
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
      for (; lane < next; lane += 1) sumUp(lanes[lane], topOf(lane), high / box.ratio);
      const to = Math.max(from + 1, Math.min(paint.height, Math.floor((next - view.top) * high)) - gap);
      paintRow(from, to, high >= 6);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.putImageData(paint.image, Math.round(box.left * box.ratio), 0);
    pen.setTransform(box.ratio, 0, 0, box.ratio, 0, 0);
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
      if (Math.max(one, other) < view.top || Math.min(one, other) >= view.bottom) continue;
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
      const of = groups.members.subarray(groups.first[k], groups.first[k + 1]);
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
    for (const { call, top, height, from, to } of labels.slice(0, 600)) {
      const name = (names.sites[calls.site[call]] || [""])[0];
      const room = Math.floor((to - from - 6) / 6.4);
      if (room >= 5) pen.fillText(short(name, room), box.left + from + 4, top + height / 2 - 1);
    }
  }

  // What is chosen, and the way to the call for which it waited.
  function drawChosen() {
    if (!chosen) return;
    pen.strokeStyle = colour("text");
    pen.lineWidth = 2;
    if (chosen.call === undefined) return stroke(wayOf(chosen.message));
    const call = chosen.call;
    const [x, end] = [Math.max(-10, across(calls.begin[call])), Math.min(box.left + box.width + 10, across(calls.end[call]))];
    const tall = rowHeight() > 8 ? rowHeight() - 2 : rowHeight();
    if (end >= box.left) pen.strokeRect(x - 1, topOf(calls.lane[call]), Math.max(2, end - x) + 2, tall);
    if (calls.state[call] < WAITED) return;
    pen.setLineDash([5, 4]);
    const late = calls.late[call];
    stroke(between(late, calls.begin[late], call, calls.until[call]));
    pen.setLineDash([]);
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
      const { rank, thread } = lanes[lane];
      const name = isNarrow ? rank + (thread === null ? "" : "." + thread) : rankName(lanes[lane]);
      pen.fillText(short(name, isNarrow ? 7 : 18), box.left - 6, y);
    }
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
    for (let time = first; time <= view.to; time += step) {
      const x = across(time);
      stroke({ x1: x, y1: box.height, x2: x, y2: box.height + 4 });
      const isBase = from > 0 && time === first;
      const text = isBase ? moment(time) : (from > 0 ? "+" : "") + ((time - from) / divisor).toFixed(digits) + " " + unit;
      const half = pen.measureText(text).width / 2;
      pen.textAlign = "left";
      pen.fillText(text, Math.max(0, Math.min(x - half, box.left + box.width + 8 - 2 * half)), box.height + 8);
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
    drawChosen();
    pen.restore();
    drawNames();
    drawAxis();
    const rows = view.bottom - view.top < lanes.length ? ", " + rankName(lanes[view.top]) + " to " + rankName(lanes[view.bottom - 1]) : "";
    const further = hasAll ? "" : "; messages are drawn as lines where fewer than " + MOST_LINES + " are in sight";
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
      return;
    }
    const next = chosen.call + by;
    if (next >= 0 && next < calls.count && calls.lane[next] === calls.lane[chosen.call]) go({ call: next });
  }

  // The call of the rank above or below at the same time; all ranks move where not all are shown and none is chosen.
  function climb(by) {
    if (!chosen || chosen.call === undefined) return move(0, by * Math.max(1, Math.round((view.bottom - view.top) / 4)));
    const lane = lanes[calls.lane[chosen.call] + by];
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
    const found = x >= box.left && y < box.height ? at(x, y) : null;
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
    addEventListener("resize", repaint);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  }

  function begin(all) {
    events = all;
    ({ lanes, calls, messages, groups } = all);
    if (!lanes.length || !(events.span > 0)) return;
    Object.assign(view, { from: 0, to: events.span, top: 0, bottom: lanes.length });
    figure.hidden = false;
    if (drawing) drawing.hidden = true;
    draw();
    listen();
  }

  inflated(figure.querySelector("script").textContent).then((bytes) => begin(eventsOf(bytes))).catch((error) => {
    figure.hidden = true;
    if (drawing) drawing.hidden = false;
    say("The calls one by one cannot be unpacked (" + error.message + "): the drawing shows spans of time.");
  });
})();

