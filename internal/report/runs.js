"use strict";
// The page of runs: curves, tables and facts of the traces in the element "data". While a run goes on it asks for more.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const runs = data.runs;
  const find = (id) => document.getElementById(id);
  const color = (i) => getComputedStyle(document.documentElement).getPropertyValue("--c" + (i % 7)).trim();
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const short = (x) => {
    if (x == null || !isFinite(x)) return "–";
    return x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6) ? Number(x.toPrecision(4)).toExponential() : Number(x.toPrecision(5)).toString();
  };
  const charts = new Map();

  const works = {
    seconds: { label: "seconds", of: (p) => p.seconds },
    iteration: { label: "iterations", of: (p) => p.iteration },
    gradients: { label: "gradients", of: (p) => p.gradients },
    polars: { label: "polars", of: (p) => p.polars },
  };

  // labelled leaves of the numbers of a logarithmic axis those that have room: 1, 2 and 5 times powers of ten where there are few
  // powers, else some of the powers.
  const labelled = (u, all) => {
    const decades = Math.log10(all[all.length - 1] / all[0]), every = Math.ceil(decades / 6);
    return all.map((x) => {
      const power = Math.floor(Math.log10(x) + 1e-9), lead = Math.round(x / Math.pow(10, power));
      return lead === 1 && power % every === 0 || decades < 2 && (lead === 2 || lead === 5) ? x : null;
    });
  };
  const axis = (label, log, size) => {
    const line = Object.assign({ stroke: style("--line"), width: 1 }, log ? { filter: labelled } : {}), font = "12px system-ui, sans-serif";
    return Object.assign({ label, size, labelSize: 20, stroke: style("--ink"), font, labelFont: font, grid: line, ticks: line,
      values: (u, all) => all.map((x) => x == null ? "" : short(x)) }, log ? { filter: labelled } : {});
  };

  // A chart is curves over one x. Tables are pairs of x and the values of each curve; curves have label, color and dash.
  function chart(id, spec) {
    const at = find(id), card = at.closest("section");
    const tables = spec.tables.filter((t) => t[0].length > 0);
    card.hidden = tables.length === 0;
    const old = charts.get(id);
    if (old) { old.destroy(); charts.delete(id); }
    if (card.hidden) return;
    const rows = tables.length > 1 ? uPlot.join(tables) : tables[0];
    const width = at.clientWidth;
    const plot = new uPlot({
      width, height: Math.max(200, Math.min(300, width * 0.6)), scales: { x: { time: false, distr: spec.logX ? 3 : 1, dir: spec.falling ? -1 : 1 },
        y: { distr: spec.logY ? 3 : 1 } },
      axes: [axis(spec.x, spec.logX, 34), axis(spec.y, spec.logY, 68)],
      series: [{ label: spec.x, value: (u, v) => short(v) }].concat(spec.curves.map((c) => ({ label: c.label, stroke: color(c.color), width: 1.6,
        dash: c.dash, spanGaps: true,
        points: { show: rows[0].length < 60, size: 5 }, value: (u, v) => short(v) }))),
      cursor: { drag: { x: true, y: false } },
      hooks: { draw: [(u) => spec.mark && mark(u, spec.mark)] },
    }, rows, at);
    charts.set(id, plot);
  }

  // mark draws a line at an x, which is named.
  function mark(u, m) {
    const x = u.valToPos(m.at, "x", true), c = u.ctx;
    c.save();
    c.strokeStyle = c.fillStyle = style("--faint");
    c.setLineDash([6, 4]);
    c.beginPath(); c.moveTo(x, u.bbox.top); c.lineTo(x, u.bbox.top + u.bbox.height); c.stroke();
    c.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
    const left = x > u.bbox.left + u.bbox.width / 2;
    c.textAlign = left ? "right" : "left";
    c.fillText(m.name, x + (left ? -6 : 6), u.bbox.top + 14 * devicePixelRatio);
    c.restore();
  }

  const named = (run, what) => (runs.length > 1 ? run.name + (what ? ": " + what : "") : what || run.name);
  const positive = (x) => (x > 0 ? x : null);

  // over makes one curve of each run from what of gives at a point; null is left out.
  function over(id, x, y, of, options) {
    const tables = [], curves = [];
    runs.forEach((run, i) => {
      for (const [k, one] of of(run).entries()) {
        const points = run.points.filter((p) => one.of(p) != null);
        if (!points.length) continue;
        tables.push([points.map(works[x].of), points.map(one.of)]);
        curves.push({ label: named(run, one.label), color: runs.length > 1 ? i : k, dash: runs.length > 1 && k ? [6, 4] : undefined });
      }
    });
    chart(id, Object.assign({ tables, curves, x: works[x].label, y }, options));
  }

  let score;

  function draw() {
    const x = find("work").value, last = (run) => run.points[run.points.length - 1];
    over("gap", x, "relative gap", () => [{ label: "certified gap", of: (p) => positive(p.relative_gap) }], { logY: true });
    over("bracket", x, "objective", () => [{ label: "objective", of: (p) => p.objective },
      { label: "lower bound", of: (p) => p.lower_bound }], {});
    const scores = new Set(runs.flatMap((r) => r.points.flatMap((p) => Object.keys(p.test || {}).filter((k) => typeof p.test[k] === "number"))));
    score = ["rmse", "error_rate", "mae", "log_loss", "accuracy", ...scores].find((k) => scores.has(k));
    over("test", x, score ? score.replaceAll("_", " ") : "", () => score ? [{ label: score.replaceAll("_", " "), of: (p) => p.test && p.test[score] }] : [], {});
    const size = runs.some((r) => r.points.some((p) => p.nonzeros != null)) ? "nonzeros" : "rank";
    over("size", x, size, () => [{ label: size, of: (p) => (p[size] == null ? 0 : p[size]) }], {});
    const parts = [["polar", "polars"], ["line_search", "steps"], ["improve", "improvements"], ["certificate", "certificates"]];
    over("split", x, "seconds", (run) => parts.filter(([k]) => last(run) && last(run).split_seconds[k] > 0).map(([k, label]) =>
      ({ label, of: (p) => p.split_seconds[k] })), {});
    spectrum();
    path();
    facts();
  }

  function spectrum() {
    const some = runs.filter((r) => r.spectrum && r.spectrum.length);
    chart("spectrum", { tables: some.map((r) => [r.spectrum.map((_, i) => i + 1), r.spectrum]), x: "number", y: "singular value", logY: true,
      curves: some.map((r, i) => ({ label: named(r, "singular value"), color: runs.length > 1 ? runs.indexOf(r) : 0 })) });
  }

  // path is the λ that were tried before one was chosen, of the first run that has some.
  function path() {
    const run = runs.find((r) => r.result && r.result.tried && r.result.tried.length);
    if (!run) return chart("path", { tables: [], curves: [] });
    const tried = run.result.tried.slice().sort((a, b) => a.lambda - b.lambda);
    const measured = Object.keys(tried[0]).find((k) => !["lambda", "relative_gap", "rank", "nonzeros", "standard_error"].includes(k));
    chart("path", { tables: [[tried.map((t) => t.lambda), tried.map((t) => t[measured])]], x: "λ", y: (measured || "").replaceAll("_", " "),
      logX: true, falling: true, curves: [{ label: "validation " + (measured || "").replaceAll("_", " "), color: 0 }],
      mark: run.result.lambda && { at: run.result.lambda, name: "λ = " + short(run.result.lambda) + ", chosen" } });
  }

  // fill writes rows of text into the body of a table.
  function fill(id, rows) {
    const body = find(id).tBodies[0];
    body.replaceChildren(...rows.map((row) => {
      const tr = document.createElement("tr");
      row.forEach((text, i) => {
        const td = document.createElement("td");
        td.textContent = text;
        td.className = find(id).tHead.rows[0].cells[i].className;
        tr.append(td);
      });
      return tr;
    }));
    find(id).closest("section").hidden = rows.length === 0;
  }

  function list(id, pairs) {
    const at = find(id);
    at.replaceChildren(...pairs.filter(([, v]) => v != null && v !== "").map(([name, value]) => {
      const div = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name; dd.textContent = value;
      div.append(dt, dd);
      return div;
    }));
    at.closest("section").hidden = at.children.length === 0;
  }

  const bracket = (p) => p.lower_bound == null ? short(p.objective) : "[" + p.lower_bound.toPrecision(8) + ", " + p.objective.toPrecision(8) + "]";

  // plainly is a value as text; of an object its fields.
  const plainly = (v) => v == null ? "" : typeof v === "number" ? short(v) : typeof v !== "object" ? String(v)
    : Object.entries(v).map(([k, x]) => k.replaceAll("_", " ") + " " + plainly(x)).join(", ");

  function facts() {
    const run = runs[0], r = run.result || {}, of = run.run || {}, p = run.points[run.points.length - 1] || {};
    const status = p.status || (data.live && !ended ? "running" : "no end in the trace");
    list("summary", runs.length > 1 ? [] : [["status", status], ["optimum within", p.objective == null ? "" : bracket(p)],
      ["relative gap", p.relative_gap ? short(p.relative_gap) : ""], ["λ", short(of.lambda) === "–" ? "" : short(of.lambda)],
      ["ζ", of.constrain ? short(of.constrain) : ""], ["rank", r.rank], ["nonzeros", r.nonzeros != null ? r.nonzeros : p.nonzeros],
      ["iterations", p.iteration], ["seconds", p.seconds == null ? "" : short(p.seconds)], ["CPU seconds", r.cpu_seconds ? short(r.cpu_seconds) : ""],
      ["peak memory", r.peak_memory_bytes ? (r.peak_memory_bytes / 1e6).toFixed(0) + " MB" : ""],
      ["test", plainly(r.test || p.test)], ["baselines", plainly(r.baselines)]]);
    list("datafacts", runs.length > 1 ? [] : [["problem", of.problem], ["data", of.data], ["checksum", of.checksum],
      ["size", of.rows ? of.rows + " × " + of.cols : ""], ["observations", of.observations], ["solver", of.solver], ["loss", of.loss],
      ["gauge", of.gauge], ["penalty", of.penalty], ["loss is a", of.normalize], ["tolerance", of.tol], ["seed", of.seed],
      ["began", of.began], ["gcg", of.version]]);
    fill("parameters", runs.flatMap((q) => ((q.run || {}).parameters || []).map(([k, v]) => [runs.length > 1 ? q.name + " " + k : k, v])));
    fill("runs", runs.length < 2 ? [] : runs.map((q) => {
      const e = q.points[q.points.length - 1];
      return [q.name, e.status || "–", short(e.objective), short(e.lower_bound), e.relative_gap ? e.relative_gap.toExponential(2) : "–",
        String(e.rank || e.nonzeros || 0), String(e.iteration), short(e.seconds)];
    }));
    const steps = run.points.length > 400 ? run.points.filter((_, i) => i % Math.ceil(run.points.length / 400) === 0 || i === run.points.length - 1) : run.points;
    fill("steps", runs.length > 1 ? [] : steps.map((q) => [String(q.iteration), short(q.seconds), q.objective.toPrecision(9),
      q.lower_bound == null ? "–" : q.lower_bound.toPrecision(9), q.relative_gap ? q.relative_gap.toExponential(2) : "–",
      String(q.nonzeros != null ? q.nonzeros : q.rank || 0), score && q.test ? short(q.test[score]) : ""]));
    const warnings = runs.flatMap((q) => ((q.result || {}).warnings || []).map((w) => named(q, w) === w ? w : q.name + ": " + w));
    find("warnings").replaceChildren(...warnings.map((w) => {
      const d = document.createElement("p");
      d.className = "warning";
      d.textContent = w;
      return d;
    }));
    find("warnings").closest("section").hidden = warnings.length === 0;
    const title = [of.problem, of.data, of.lambda ? "λ = " + short(of.lambda) : ""].filter(Boolean).join(", ");
    find("title").textContent = runs.length > 1 ? "Convergence of " + runs.length + " runs" : title || run.name;
  }

  let ended = !data.live, seen = 0;

  // ask takes the lines of the run that are new, until it ends.
  async function ask() {
    try {
      const answer = await (await fetch("state?from=" + seen, { headers: { "X-Token": data.token } })).json();
      for (const line of answer.lines) {
        const run = runs[0];
        run.points.push(line);
        if (line.run) run.run = Object.assign(run.run || {}, line.run);
        if (line.result) run.result = line.result;
        if (line.spectrum) run.spectrum = line.spectrum;
      }
      seen += answer.lines.length;
      ended = answer.ended;
      find("said").textContent = answer.said.join("\n");
      find("live").textContent = ended ? "the run has ended" : answer.stopping ? "stopping…" : "running";
      find("stop").disabled = ended || answer.stopping;
      if (answer.lines.length) draw(); else facts();
    } catch (lost) {
      find("live").textContent = ended ? "the run has ended" : "the run is gone";
      find("stop").disabled = true;
      ended = true;
    }
    if (!ended) setTimeout(ask, 700);
  }

  find("work").addEventListener("change", draw);
  for (const q of ["(prefers-color-scheme: dark)", "print"]) matchMedia(q).addEventListener("change", draw);
  let wide = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; draw(); } });
  if (data.live) {
    find("stop").addEventListener("click", async () => {
      find("stop").disabled = true;
      await fetch("stop", { method: "POST", headers: { "X-Token": data.token } });
    });
    ask();
  }
  draw();
})();
