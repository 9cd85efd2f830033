  // ---- drawing ----------------------------------------------------------------------------------------------------

  function draw() {
    for (const chart of charts) {
      const width = chart.box.clientWidth || 640;
      const made = chart.make(width);
      if (!made) continue;
      chart.box.style.height = made.height + "px";
      chart.view = chart.view || echarts.init(chart.box, null, { renderer: "svg" });
      chart.view.resize({ width, height: made.height });
      chart.view.setOption(made.option, true);
    }
  }

  for (const [id, make] of CHARTS) {
    const box = document.getElementById(id);
    if (!box) continue;
    box.parentElement.hidden = false;
    if (make(box.clientWidth || 640)) charts.push({ box, make, view: null });
    else box.parentElement.hidden = true;
    // A drawing that says the same makes room.
    const drawing = document.querySelector('[data-until="' + id + '"]');
    if (drawing) drawing.hidden = !box.parentElement.hidden;
  }
  draw();

  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  // Paper is white whatever the screen is.
  const printing = (on) => () => {
    document.documentElement.classList.toggle("printing", on);
    draw();
  };
  addEventListener("beforeprint", printing(true));
  addEventListener("afterprint", printing(false));
})();
