// Draws the charts over the tables. Without it, or without scripts, the tables say the same. Three files in a row make the
// script: this one, the charts of the page with `const CHARTS = [[id, make], ...]`, and draw.js.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const node = (k) => colour("n" + (k % 8));
  const point = (k) => colour("p" + (k % 8));
  const FONT = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

  // Texts go in as text, never as markup.
  function tip(title, lines) {
    const box = document.createElement("div");
    box.className = "tip";
    const head = document.createElement("b");
    head.textContent = title;
    box.append(head);
    for (const line of lines.filter(Boolean)) {
      const row = document.createElement("div");
      row.textContent = line;
      box.append(row);
    }
    return box;
  }

  function common(formatter) {
    return {
      animation: false,
      aria: { enabled: true },
      textStyle: { fontFamily: FONT, color: colour("text") },
      tooltip: {
        formatter, confine: true, backgroundColor: colour("card"), borderColor: colour("line"),
        textStyle: { color: colour("text") },
      },
    };
  }

  function axis(extra) {
    return Object.assign({
      axisLine: { show: false }, axisTick: { show: false },
      axisLabel: { color: colour("muted") },
      splitLine: { lineStyle: { color: colour("line") } },
      nameTextStyle: { color: colour("muted") },
    }, extra);
  }

  const short = (text, length) => (text.length > length ? text.slice(0, length - 1) + "\u2026" : text);

  // Told apart by their shapes, too.
  const SYMBOLS = [
    "circle", "rect", "triangle", "diamond",
    "path://M0,0L10,0L5,9Z", // a triangle on its tip
    "path://M3,0L7,0L7,3L10,3L10,7L7,7L7,10L3,10L3,7L0,7L0,3L3,3Z", // a cross
    "path://M5,0L6.5,3.5L10,4L7.5,6.5L8,10L5,8.3L2,10L2.5,6.5L0,4L3.5,3.5Z", // a star
  ];

  function unit(largest) {
    if (!data.wall_time) return [1, ""];
    if (largest < 1e-3) return [1e6, "us"];
    return largest < 1 ? [1e3, "ms"] : [1, "s"];
  }

  // Every other curve is dashed: where two are the same, both are seen.
  const stroke = (k) => ({ width: 2, type: k % 2 ? [6, 5] : "solid" });
  // As many lines as the names need, in pixels.
  const legendHeight = (list, width) => Math.ceil(list.reduce((sum, n) => sum + n.length * 7.2 + 40, 0) / (width - 20)) * 24;
