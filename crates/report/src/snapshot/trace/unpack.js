// Unpacks the calls of a trace; events.rs describes what is packed, in the same order.

  function bytesOf(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const signs = atob(text);
    const bytes = new Uint8Array(signs.length);
    for (let k = 0; k < signs.length; k += 1) bytes[k] = signs.charCodeAt(k);
    return bytes;
  }

  // The bytes that were deflated and spelled in base64.
  async function inflated(text) {
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // Whole numbers of 7 bits a byte, the lowest first; a signed one has its sign in the lowest bit.
  class Numbers {
    constructor(bytes) {
      this.bytes = bytes;
      this.at = 0;
    }

    next() {
      return this.column(1)[0];
    }

    // So many numbers: always of one type, which a browser reads several times as fast.
    column(count) {
      const [column, bytes] = [new Float64Array(count), this.bytes];
      let at = this.at;
      for (let k = 0; k < count; k += 1) {
        let byte = bytes[at++];
        let number = byte & 127;
        for (let factor = 128; byte > 127; factor *= 128) {
          byte = bytes[at++];
          number += (byte & 127) * factor;
        }
        column[k] = number;
      }
      if (at > bytes.length) throw new RangeError("they end too early");
      this.at = at;
      return column;
    }

    raw(count) {
      this.at += count;
      return this.bytes.subarray(this.at - count, this.at);
    }

    signed(count) {
      const column = this.column(count);
      for (let k = 0; k < count; k += 1) {
        const number = column[k];
        if (number < 2 ** 31) column[k] = (number >>> 1) ^ -(number & 1);
        else column[k] = number % 2 ? -(number + 1) / 2 : number / 2;
      }
      return column;
    }
  }

  const CALLED = 0, POLLED = 1, WAITED = 2;

  // Calls are numbered through all lanes; those of a lane are from its `first` to before its `last`.
  function eventsOf(read) {
    const span = read.next();
    const [laneCount, messageCount, groupCount, memberCount] = [0, 0, 0, 0].map(() => read.next());
    const lanes = [];
    let count = 0;
    for (let k = 0; k < laneCount; k += 1) {
      const [rank, thread, world, begin, length, calls] = [0, 0, 0, 0, 0, 0].map(() => read.next());
      lanes.push({ number: k, rank, world, thread: thread ? thread - 1 : null, begin, end: begin + length, first: count, last: count + calls });
      count += calls;
    }
    const calls = callsOf(read, lanes, count);
    const messages = messagesOf(read, lanes, calls, messageCount);
    const groups = groupsOf(read, lanes, calls, groupCount, memberCount);
    const workers = workersOf(read, lanes);
    const spans = spansOf(read, lanes.concat(workers));
    const phases = phasesOf(read);
    return { span, rows: rowsOf(lanes, workers, calls), calls, messages, groups, spans, phases };
  }

  // Rows of ranks that are asked for, then the others; all are, where nobody is. Lanes of calls become numbers of these.
  function arrange(all, asked) {
    const isAsked = ({ rank }) => asked.some(([from, to]) => rank >= from && rank <= to);
    const own = all.rows.filter(isAsked);
    all.shown = own.length || all.rows.length;
    all.isNobody = asked.length > 0 && !own.length;
    all.lanes = own.length ? own.concat(all.rows.filter((row) => !isAsked(row))) : all.rows;
    const places = new Uint32Array(all.rows.length);
    all.lanes.forEach((row, place) => { places[row.place] = place; });
    all.places = places;
    const { count, lane, row } = all.calls;
    for (let k = 0; k < count; k += 1) lane[k] = places[row[k]];
    return all;
  }

  // Threads that call no MPI.
  function workersOf(read, lanes) {
    const count = read.next();
    return Array.from({ length: count }, () => {
      const [lane, worker] = [read.next(), read.next()];
      const { rank, world, begin, end } = lanes[lane];
      return { lane, rank, world, thread: null, worker, begin, end, first: 0, last: 0 };
    });
  }

  // What threads are in outside of calls: those of a row are from its `firstSpan` to before its `lastSpan`.
  function spansOf(read, rows) {
    let count = 0;
    for (const row of rows) {
      row.firstSpan = count;
      count += read.next();
      row.lastSpan = count;
    }
    const state = read.column(count);
    const of = state.map((both) => Math.floor(both / 8) - 1);
    state.forEach((both, k) => { state[k] = both % 8; });
    const [begin, end] = [read.signed(count), read.column(count)];
    for (const row of rows) {
      let before = 0;
      for (let k = row.firstSpan; k < row.lastSpan; k += 1) {
        begin[k] += before;
        end[k] += begin[k];
        before = end[k];
      }
    }
    return { state, of, begin, end };
  }

  // Phases that ranks have at about the same time are one: from the first begin to the last end. Those in others lie lower.
  function phasesOf(read) {
    const count = read.next();
    const [known, seen] = [new Map(), new Map()];
    let begin = 0;
    for (let k = 0; k < count; k += 1) {
      const [name, lane] = [read.next(), read.next()];
      begin += read.signed(1)[0];
      const end = begin + read.next();
      const number = (seen.get(lane + " " + name) || 0) + 1;
      seen.set(lane + " " + name, number);
      const phase = known.get(name + " " + number) || { name, begin, end };
      Object.assign(phase, { begin: Math.min(phase.begin, begin), end: Math.max(phase.end, end) });
      known.set(name + " " + number, phase);
    }
    const all = [...known.values()].sort((a, b) => a.begin - b.begin || b.end - a.end);
    const open = [];
    for (const phase of all) {
      // Ranks do not end one and begin the next at one moment.
      phase.level = open.findIndex((end) => end <= phase.begin + 0.02 * (phase.end - phase.begin));
      if (phase.level < 0) phase.level = open.length;
      open[phase.level] = phase.end;
    }
    return { all, levels: Math.min(3, open.length) };
  }

  // Lanes, each with its workers below.
  function rowsOf(lanes, workers, calls) {
    const rows = [];
    const places = lanes.map((lane, number) => {
      rows.push(lane, ...workers.filter((worker) => worker.lane === number));
      return rows.indexOf(lane);
    });
    rows.forEach((row, place) => { row.place = place; });
    calls.row = calls.lane.map((lane) => places[lane]);
    return rows;
  }

  function callsOf(read, lanes, count) {
    const site = new Uint32Array(read.column(count));
    const state = new Uint8Array(read.column(count));
    const bytes = read.column(count);
    const begin = read.signed(count);
    const end = read.column(count);
    const lane = new Uint32Array(count);
    lanes.forEach((of, number) => {
      let before = of.begin;
      for (let k = of.first; k < of.last; k += 1) {
        lane[k] = number;
        begin[k] += before;
        end[k] += begin[k];
        before = end[k];
      }
    });
    // How often a call polled, or when its waiting ended.
    const until = new Float64Array(count);
    const [polling, waiting] = [[], []];
    for (let k = 0; k < count; k += 1) {
      if (state[k] === POLLED) polling.push(k);
      if (state[k] >= WAITED) waiting.push(k);
    }
    const polls = read.column(polling.length);
    polling.forEach((k, n) => { until[k] = polls[n]; });
    const late = new Uint32Array(count);
    const [lateLane, lateCall, after] = [0, 0, 0].map(() => read.signed(waiting.length));
    waiting.forEach((k, n) => {
      late[k] = lanes[lane[k] + lateLane[n]].first + k - lanes[lane[k]].first + lateCall[n];
      until[k] = begin[late[k]] + after[n];
    });
    return { count, site, state, bytes, begin, end, lane, until, late };
  }

  function messagesOf(read, lanes, calls, count) {
    const [fromLane, fromCall, toLane, toCall, bytes, tag] = [0, 0, 0, 0, 0, 0].map(() => read.signed(count));
    const [from, to] = [new Uint32Array(count), new Uint32Array(count)];
    const [sent, received] = [new Float64Array(count), new Float64Array(count)];
    let [lane, call] = [0, 0];
    for (let k = 0; k < count; k += 1) {
      lane += fromLane[k];
      call += fromCall[k];
      from[k] = lanes[lane].first + call;
      to[k] = lanes[lane + toLane[k]].first + call + toCall[k];
      sent[k] = calls.begin[from[k]];
      received[k] = calls.end[to[k]];
      bytes[k] += calls.bytes[from[k]];
    }
    return { count, from, to, sent, received, bytes, tag };
  }

  // Collective calls: the calls of each, in the order of their lanes, and when the first began and the last ended.
  function groupsOf(read, lanes, calls, count, memberCount) {
    const sizes = read.column(count);
    const laneOf = read.signed(memberCount);
    const callOf = read.signed(memberCount);
    const members = new Uint32Array(memberCount);
    const [first, begin, end] = [new Uint32Array(count + 1), new Float64Array(count), new Float64Array(count)];
    let at = 0;
    for (let group = 0; group < count; group += 1) {
      let [lane, call] = [0, 0];
      begin[group] = Infinity;
      for (let k = 0; k < sizes[group]; k += 1, at += 1) {
        lane += laneOf[at];
        call += callOf[at];
        members[at] = lanes[lane].first + call;
        begin[group] = Math.min(begin[group], calls.begin[members[at]]);
        end[group] = Math.max(end[group], calls.end[members[at]]);
      }
      first[group + 1] = at;
    }
    return { count, first, members, begin, end };
  }

