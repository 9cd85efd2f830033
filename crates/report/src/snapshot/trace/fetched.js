  // ---- what is fetched, of a page that is served: names, then windows of the timeline -----------------------------------

  let firstShown = null;
  let [isFetching, isOutdated, later] = [false, false, 0];
  const noteLine = isServed ? document.createElement("p") : null;

  async function fetched(path) {
    const answer = await fetch(path, { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  }

  // Rows and columns as the screen has them.
  async function windowOf({ from, to, top, bottom }, phases) {
    const [columns, lines] = paint ? [paint.width, paint.height] : [Math.max(200, stage.clientWidth || 1000), 560];
    const ranks = listOf(asked);
    const wanted = { from: Math.floor(from), to: Math.ceil(to), top, bottom, columns, lines, phases };
    const answer = await fetched("window?" + new URLSearchParams(wanted) + "&ranks=" + ranks);
    const read = new Numbers(new Uint8Array(await answer.arrayBuffer()));
    const [version, share, isRough, begin, length, first, last, width, groups] = read.column(9);
    const part = { ranks, version, share, isRough, from: begin, to: begin + length, top: first, bottom: last, columns: width };
    part.groups = read.column(groups);
    part.shares = groups ? read.raw(groups * width * STATES) : null;
    part.events = eventsOf(read);
    return part;
  }

  // All that holds until there is another version: while the trace is read and analysed there are several.
  async function fetchAll() {
    const { first } = data.events;
    const whole = { from: 0, to: Number.MAX_SAFE_INTEGER, top: 0, bottom: 2 ** 31 };
    do {
      names = await (await fetched("names")).json();
      base = await windowOf(whole, 1);
    } while (base.version !== names.version);
    phases = base.events.phases;
    const { span } = base.events;
    firstShown = firstShown || (first ? [first[0] === null ? 0 : Math.min(first[0], span), first[1] === null ? span : first[1]] : [0, span]);
    adopt(base);
    return base.events;
  }

  // What is chosen by what it is, since numbers are those of a window.
  function keyOf(of) {
    if (!of || of.phase || of.mark) return of;
    const call = (k) => [calls.row[k], calls.begin[k]];
    if (of.span !== undefined) return { row: lanes[of.row].place, begin: spans.begin[of.span] };
    return of.call === undefined ? { from: call(messages.from[of.message]), to: call(messages.to[of.message]) } : { call: call(of.call) };
  }

  function chosenBy(key) {
    if (!key || key.phase || key.mark) return key;
    const find = ([row, begin]) => {
      const lane = events.rows[row];
      if (!lane) return -1;
      let [low, high] = [lane.first, lane.last];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (calls.begin[middle] < begin) low = middle + 1;
        else high = middle;
      }
      return low < lane.last && calls.begin[low] === begin ? low : -1;
    };
    if (key.call) return find(key.call) < 0 ? null : { call: find(key.call) };
    if (key.from) {
      const [from, to] = [find(key.from), find(key.to)];
      for (let k = 0; k < messages.count; k += 1) if (messages.from[k] === from && messages.to[k] === to) return { message: k };
      return null;
    }
    const row = lanes.findIndex((of) => of.place === key.row);
    const lane = lanes[row];
    for (let k = lane ? lane.firstSpan : 0; lane && k < lane.lastSpan; k += 1) if (spans.begin[k] === key.begin) return { span: k, row };
    return null;
  }

  // Takes a window in place of the one before.
  function adopt(part) {
    if (chosen) kept = keyOf(chosen);
    hide();
    here = part;
    take(part.events);
    chosen = chosenBy(kept);
    if (chosen) choose(chosen);
    // Their numbers are no longer those of the calls.
    else for (const button of chosenRow.querySelectorAll("button:not(.stays)")) button.remove();
    const read = part.share < 1000 ? " (" + Math.floor(part.share / 10) + " %)" : "";
    noteLine.className = "lead";
    noteLine.style.marginTop = "1rem";
    noteLine.hidden = !names.note;
    figure.style.marginTop = names.note ? "" : "1rem";
    noteLine.textContent = names.note + read;
    figure.before(noteLine);
    showPairs();
  }

  const holds = (part) => part && part.ranks === listOf(asked) && !part.shares && !part.isRough && part.from <= Math.ceil(view.from) && part.to >= Math.floor(view.to) && part.top <= view.top && part.bottom >= view.bottom;

  // Fetches all anew.
  function renew() {
    names.version = null;
    ask();
  }

  // Fetches what is shown, where that is not here; while one window is on its way, the last one asked for waits.
  async function ask() {
    if (isFetching) {
      isOutdated = true;
      return;
    }
    clearTimeout(later);
    isFetching = true;
    try {
      do {
        isOutdated = false;
        if (holds(here) && here.version === names.version && !names.goes_on) break;
        const part = await windowOf(view, 0);
        if (part.version === names.version && part.ranks === base.ranks) adopt(part);
        else {
          const of = base;
          await fetchAll();
          // Moments are since the first rank left MPI_Init, of which more may be known now.
          if (events.span !== of.events.span) Object.assign(view, { from: 0, to: events.span });
          if (shown !== of.events.shown || base.ranks !== of.ranks) Object.assign(view, { top: 0, bottom: shown });
          isOutdated = true;
        }
        repaint();
      } while (isOutdated);
      if (here.isRough || names.goes_on) later = setTimeout(ask, here.isRough ? 150 : 600);
    } catch (error) {
      noteLine.hidden = false;
      noteLine.textContent = "numawise view does not answer any more (" + error.message + "): start it again";
    }
    isFetching = false;
  }

  // Adds the shares of some rows, from what was fetched last and, where that does not reach, from those of the whole. False: calls are here.
  function addFetched(row, next) {
    const isIn = row >= here.top && next <= here.bottom;
    if (!isIn) addShares(base, row, view.from, view.to);
    else {
      addShares(base, row, view.from, Math.min(view.to, here.from));
      addShares(base, row, Math.max(view.from, here.to), view.to);
      if (here.shares) addShares(here, row, view.from, view.to);
    }
    return !isIn || here.shares;
  }

  function addShares(part, row, from, to) {
    if (!(to > from) || !part.shares) return;
    let group = part.groups.length - 1;
    while (group > 0 && part.groups[group] > row) group -= 1;
    const [scale, width] = [paint.width / (view.to - view.from), (part.to - part.from) / part.columns];
    const first = Math.max(0, Math.floor((from - part.from) / width));
    const parts = new Array(STATES);
    for (let column = first; column < part.columns && part.from + column * width < to; column += 1) {
      const place = STATES * (group * part.columns + column);
      const a = (Math.max(from, part.from + column * width) - view.from) * scale;
      const b = (Math.min(to, part.from + (column + 1) * width) - view.from) * scale;
      let all = 0;
      for (let state = 0; state < STATES; state += 1) all += parts[state] = part.shares[place + state] / 255;
      // Those that are not useful are taken away from all.
      add(a, b, COMPUTES, all);
      for (let state = COMPUTES + 1; state < STATES; state += 1) if (parts[state]) add(a, b, state, parts[state]);
      for (let x = Math.max(0, Math.floor(a)); x < b && x < paint.width; x += 1) paint.counts[x] = 3;
    }
  }
