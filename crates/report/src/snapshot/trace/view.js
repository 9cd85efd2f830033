// The calls of a trace, each in the row of its rank, nearer and farther; what is known of a call or of a message where a person points. Without it
// a drawing of spans of time stands in its place. Five files in a row make the script: unpack.js, this one, draw.js, fetched.js, hands.js.
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
  if (data.events.parts && typeof DecompressionStream === "undefined") {
    say("This browser cannot unpack the calls one by one: the drawing shows spans of time.");
    return;
  }
  let names = data.events;
  // Of a page that fetches what it shows: the part that came last, and the whole in shares of states.
  let [here, base] = [null, null];
  const isServed = !names.parts;
  let kept = null; // what was chosen, by what it is
  // All that is unpacked, and the parts of the page.
  let events, lanes, shown, calls, messages, groups, spans, phases;
  // Ranges of ranks: only their rows are shown, where there are any.
  let asked = rangesOf(data.events.ranks || "") || [];
  const ranksField = figure.querySelector("input");
  const pairsBox = figure.querySelector(".pairs");
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
  let chosen = null; // { call }, { message } or { span, row }
  let lines = []; // the messages that are drawn

  // "0-3,17"; null where that is no list.
  function rangesOf(text) {
    const list = text.replace(/\s+/g, "").split(",").filter(Boolean);
    if (!list.every((part) => /^\d+(-\d+)?$/.test(part))) return null;
    return list.map((part) => part.split("-").map(Number)).map(([from, to = from]) => [from, to]);
  }
  const listOf = (ranges) => ranges.map(([from, to]) => (from === to ? from : from + "-" + to)).join(",");

  // Takes all that is unpacked in place of what was.
  function take(all) {
    events = arrange(all, asked);
    ({ lanes, shown, calls, messages, groups, spans } = all);
    if (all.isNobody) {
      chosenRow.textContent = "ranks " + listOf(asked) + ": not in this trace, so all are shown";
      asked = [];
    }
    ranksField.value = listOf(asked);
  }

  // Shows only some ranks.
  function askRanks(ranges) {
    asked = ranges;
    ranksField.value = listOf(asked);
    if (isServed) return renew();
    const key = keyOf(chosen);
    take(events);
    chosen = chosenBy(key);
    return show(view.from, view.to, 0, shown);
  }

  // Shows a rank alone, or all where it is alone; adds it, or takes it away.
  function pickRank(rank, isOneMore) {
    const all = [...new Set(lanes.slice(0, shown).map((row) => row.rank))];
    const isAlone = asked.length && all.length === 1 && all[0] === rank;
    if (!isOneMore || !asked.length) return askRanks(isAlone ? [] : [[rank, rank]]);
    const others = all.filter((of) => of !== rank);
    const ranks = (others.length < all.length ? others : all.concat(rank)).sort((a, b) => a - b);
    return askRanks(ranks.map((of) => [of, of]));
  }

  const LEVEL = 15;
  const TOGETHER = 34; // all rows together, with what is free above
  const axisHeight = () => TOGETHER + 24 + LEVEL * phases.levels;
  const belowRows = () => box.height + TOGETHER;
  const across = (time) => box.left + ((time - view.from) / (view.to - view.from)) * box.width;
  const timeAt = (x) => view.from + ((x - box.left) / box.width) * (view.to - view.from);
  const rowHeight = () => box.height / (view.bottom - view.top);
  const topOf = (lane) => (lane - view.top) * rowHeight();
  const laneAt = (y) => Math.floor(view.top + y / rowHeight());

  function show(from, to, top = view.top, bottom = view.bottom) {
    const length = Math.min(events.span, Math.max(Math.min(SHORTEST, events.span), to - from));
    view.from = Math.min(Math.max(0, from), events.span - length);
    view.to = view.from + length;
    const rows = Math.min(shown, Math.max(1, Math.round(bottom - top)));
    view.top = Math.min(Math.max(0, Math.round(top)), shown - rows);
    view.bottom = view.top + rows;
    repaint();
    if (isServed) ask();
  }

  function zoom(factor, around = (view.from + view.to) / 2) {
    show(around - (around - view.from) * factor, around + (view.to - around) * factor);
  }

  const move = (share, rows = 0) => {
    const [time, length] = [share * (view.to - view.from), view.to - view.from];
    const from = Math.min(Math.max(0, view.from + time), events.span - length);
    show(from, from + length, view.top + rows, view.bottom + rows);
  };
  const whole = () => show(0, events.span, 0, shown);

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
  const rankName = (lane) => names.lane + lane.rank + (lane.world ? " of world " + lane.world : "") + (lane.worker ? ", thread " + lane.worker : lane.thread === null ? "" : ", thread " + lane.thread);
  const laneName = (call) => rankName(lanes[calls.lane[call]]);
  const siteName = (call) => {
    const [name, place] = names.sites[calls.site[call]] || ["a call", ""];
    return name + " " + place;
  };
  const callName = (call) => laneName(call) + ": " + siteName(call);
  // The communicator of a call, where it has one.
  const onOf = (call) => {
    const on = (names.sites[calls.site[call]] || [])[2];
    return on ? ", " + on : "";
  };
  const times = (count) => (count === 1 ? "once" : count + " times");

  // A title and lines; a line may lead to another call or message.
  function known(of) {
    if (of.phase) return knownOfPhase(of.phase);
    if (of.mark) return knownOfMark(of.mark);
    if (of.span !== undefined) return knownOfSpan(of.span, of.row);
    return of.call === undefined ? knownOfMessage(of.message) : knownOfCall(of.call);
  }

  // In the order of the numbers of their states.
  const SPANS = ["in", "serial: in no parallel region", "waits in OpenMP,", "idle: in no parallel region"];
  const spanName = (state) => SPANS[state] || "in files: " + names.files[state - SPANS.length];
  const fromTo = ({ begin, end }) => "began at " + moment(begin) + ", took " + lasting(end - begin);

  function knownOfSpan(span, row) {
    const construct = names.constructs[spans.of[span]] || "";
    return {
      title: rankName(lanes[row]) + ": " + spanName(spans.state[span]) + " " + construct,
      rows: [[fromTo({ begin: spans.begin[span], end: spans.end[span] })]],
    };
  }

  const knownOfPhase = (phase) => ({ title: "phase " + names.phases[phase.name], rows: [[fromTo(phase) + ", of all ranks"]] });

  const knownOfMark = ({ place, kind, begin, end, text }) => ({
    title: rankName(events.rows[place]) + ": " + names.marked[kind][0],
    rows: [[text + ", between " + moment(begin) + " and " + moment(end)]],
  });

  function knownOfCall(call) {
    const rows = [[
      "began at " + moment(calls.begin[call]) + ", took " + lasting(calls.end[call] - calls.begin[call]) +
        (calls.bytes[call] ? ", " + amount(calls.bytes[call]) : "") + onOf(call),
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
        [amount(messages.bytes[message]) + ", tag " + messages.tag[message] + (onOf(from) || onOf(to))],
        ["sent by " + endOf(from), { call: from }],
        ["received by " + endOf(to), { call: to }],
      ],
    };
  }

  // One end of a message.
  function endOf(call) {
    const end = siteName(call) + ", which " + fromTo({ begin: calls.begin[call], end: calls.end[call] });
    if (calls.state[call] < WAITED) return end;
    return end + " and waited " + lasting(calls.until[call] - calls.begin[call]) + " for " + laneName(calls.late[call]);
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
    const all = of.call === undefined ? rows : rows.concat(messagesOfCall(of.call));
    put(title, all.map(([text, target]) => [text, target && (() => go(target)), target && target.call === undefined ? "show the message" : "go there"]));
    repaint();
  }

  // A title and lines, some with a button.
  function put(title, rows, stays = "") {
    const head = document.createElement("b");
    head.textContent = title;
    chosenRow.replaceChildren(head);
    for (const [text, act, face] of rows) {
      const row = document.createElement("div");
      row.textContent = text;
      if (act) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = stays;
        button.textContent = face;
        button.addEventListener("click", act);
        row.append(" ", button);
      }
      chosenRow.append(row);
    }
  }

  // The message from one call to another, of which the rows and the begins are known.
  function goToMessage(key, begin, end) {
    [chosen, kept] = [null, key];
    if ([key.from[0], key.to[0]].some((place) => events.places[place] >= shown)) askRanks([]);
    show(begin - (end - begin), end + (end - begin), 0, shown);
    const found = chosenBy(key);
    if (found) choose(found);
  }

  // Chooses what is perhaps not in the part that is shown, and moves there.
  function go(target) {
    const call = target.call === undefined ? messages.from[target.message] : target.call;
    const last = target.call === undefined ? messages.to[target.message] : call;
    if (Math.max(calls.lane[call], calls.lane[last]) >= shown) {
      if (isServed) [kept, chosen] = [keyOf(target), null];
      askRanks([]);
      if (isServed) return;
    }
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

  // Of what lies from one place to another, the first that ends behind a moment.
  function firstBehind(ends, low, high, time) {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const firstEndingAfter = (lane, time) => firstBehind(calls.end, lane.first, lane.last, time);
  const firstSpanAfter = (lane, time) => firstBehind(spans.end, lane.firstSpan, lane.lastSpan, time);

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

  // What a thread is in outside of calls.
  function spanAt(x, y) {
    const row = laneAt(y);
    const [lane, time] = [lanes[row], timeAt(x)];
    if (!lane || y < 0 || y >= box.height) return null;
    const span = firstSpanAfter(lane, time);
    return span < lane.lastSpan && spans.begin[span] <= time ? { span, row } : null;
  }

  function markAt(x, y) {
    const found = marksOf().find((mark) => {
      const place = placeOf(mark);
      return place && x >= place.x - 2 && x <= place.x + place.width + 2 && y >= place.y - 2 && y <= place.y + place.tall + 1;
    });
    return found ? { mark: found } : null;
  }

  function phaseAt(x, y) {
    const [level, time] = [Math.floor((y - belowRows()) / LEVEL), timeAt(x)];
    const phase = phases.all.find((of) => of.level === level && level < phases.levels && of.begin <= time && of.end > time);
    return phase ? { phase } : null;
  }

  const at = (x, y) => markAt(x, y) || messageAt(x, y) || callAt(x, y) || spanAt(x, y) || phaseAt(x, y);

