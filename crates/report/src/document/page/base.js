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
