"use strict";
const held = JSON.parse(document.getElementById("data").textContent);
const live = document.querySelector(".live");

// --- Figures: drawn when they come near, in the colours of the page -----------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");
const coarse = matchMedia("(pointer: coarse)").matches;
const drawn = new Set();
const BUTTONS = { parcoords: ["toImage"], scatter3d: ["toImage", "resetCameraDefault3d"] };

function template() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [ink, soft, line, card] = ["--ink", "--soft", "--line", "--card"].map(colour);
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
  const space = { gridcolor: line, backgroundcolor: card, color: ink };
  return {
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: ink, size: 12, family: "system-ui, sans-serif" },
      colorway: ["#0b6fb3"],
      xaxis: axis,
      yaxis: axis,
      scene: { xaxis: space, yaxis: space, zaxis: space },
      hoverlabel: { bgcolor: card, bordercolor: soft, font: { color: ink }, align: "left" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: ink },
      dragmode: coarse ? false : "zoom", // a finger scrolls the page
    },
  };
}

function layoutOf(place, figure) {
  const top = figure.layout.legend ? 34 : 14;
  const margin = figure.layout.margin || { l: 8, r: 12, t: top, b: 8 };
  const size = { height: Number(place.dataset.height), autosize: true };
  return { ...figure.layout, ...size, margin, template: template() };
}

function draw(place) {
  if (drawn.has(place)) return;
  drawn.add(place);
  const figure = held.figures[place.id];
  for (const trace of figure.data) {
    if (Array.isArray(trace.hovertext)) {
      trace.hovertext = trace.hovertext.map((index) => held.texts[index]);
    }
  }
  const config = {
    responsive: true,
    displaylogo: false,
    displayModeBar: coarse ? false : "hover",
    modeBarButtons: [BUTTONS[figure.data[0].type] || ["toImage", "resetScale2d"]],
  };
  Plotly.newPlot(place, figure.data, layoutOf(place, figure), config).then(() => {
    if (figure.data[0].type === "parcoords") {
      place.on("plotly_restyle", () => brush(place));
    }
  });
}

const places = [...document.querySelectorAll(".plot")];
for (const place of places) {
  place.style.minHeight = `${place.dataset.height}px`;
  if (Number(place.dataset.width)) place.style.minWidth = `${place.dataset.width}px`;
}
if ("IntersectionObserver" in window) {
  const near = (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => draw(e.target));
  const watch = new IntersectionObserver(near, { rootMargin: "500px" });
  places.forEach((place) => watch.observe(place));
} else {
  places.forEach(draw);
}
addEventListener("beforeprint", () => {
  for (const place of places) if (place.offsetParent) draw(place);
});
dark.addEventListener("change", () => {
  for (const place of drawn) Plotly.relayout(place, { template: template() });
});

// --- Parallel coordinates select rows of the table ----------------------------------------------

function brush(place) {
  const trace = place.data[0];
  const limits = trace.dimensions
    .map((dimension) => ({ values: dimension.values, ranges: dimension.constraintrange }))
    .filter((one) => one.ranges && one.ranges.length);
  if (!limits.length) return select(null);
  const inside = (value, ranges) =>
    (Array.isArray(ranges[0]) ? ranges : [ranges]).some(([a, b]) => a <= value && value <= b);
  const numbers = place.layout.meta.trials;
  const kept = numbers.filter((_, i) => limits.every((l) => inside(l.values[i], l.ranges)));
  return select(new Set(kept.map(String)));
}

// --- The table: sort, filter, download ----------------------------------------------------------

const table = document.querySelector("table.trials");
const tools = document.querySelector(".tools");
const whole = (cell) => cell.dataset.value ?? cell.textContent.trim();
let selected = null;

function select(numbers) {
  selected = numbers;
  show();
}

function show() {
  const wanted = tools.querySelector(".filter").value.trim().toLowerCase();
  const state = tools.querySelector(".state").value;
  const rows = [...table.tBodies[0].rows];
  let count = 0;
  for (const row of rows) {
    row.wholeText ??= [...row.cells].map(whole).join("\n").toLowerCase();
    const kept =
      (!wanted || row.wholeText.includes(wanted)) &&
      (!state || row.dataset.state === state) &&
      (!selected || selected.has(row.dataset.trial));
    row.hidden = !kept;
    count += kept;
  }
  const all = count === rows.length;
  const how = selected ? ", selected in the parallel coordinates" : "";
  tools.querySelector(".count").textContent = all ? "" : `${count} of ${rows.length} trials${how}`;
  tools.querySelector(".clear").hidden = all;
}

function showAll() {
  tools.querySelector(".filter").value = "";
  tools.querySelector(".state").value = "";
  const place = places.find((p) => drawn.has(p) && p.data[0].type === "parcoords");
  if (selected && place) {
    const none = {};
    place.data[0].dimensions.forEach((_, i) => {
      none[`dimensions[${i}].constraintrange`] = [null];
    });
    Plotly.restyle(place, none);
  }
  select(null);
}

// Numbers before texts, blank cells last.
function sortBy(heads, column) {
  const head = heads[column];
  const up = head.getAttribute("aria-sort") !== "ascending";
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const keyed = [...table.tBodies[0].rows].map((row) => {
    const text = whole(row.cells[column]);
    return { row, text, number: text === "" ? NaN : Number(text) };
  });
  keyed.sort((a, b) => {
    if (!a.text || !b.text) return Number(!a.text) - Number(!b.text);
    const numeric = [!isNaN(a.number), !isNaN(b.number)];
    let order = Number(numeric[1]) - Number(numeric[0]);
    if (numeric[0] && numeric[1]) order = a.number - b.number;
    else if (!order) order = a.text < b.text ? -1 : Number(a.text > b.text);
    return up ? order : -order;
  });
  table.tBodies[0].append(...keyed.map((key) => key.row));
}

// A spreadsheet takes texts that begin so for formulas; an apostrophe makes texts of them again.
function field(text) {
  const safe = /^[=+\-@\t\r]/.test(text) && isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csv() {
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const lines = [
    [...table.tHead.rows[0].cells].map((cell) => cell.dataset.name),
    ...rows.map((row) => [...row.cells].map(whole)),
  ];
  return lines.map((line) => line.map(field).join(",") + "\r\n").join("");
}

function download(name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", csv()], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

if (table) {
  tools.hidden = false;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => sortBy(heads, column));
  });
  tools.querySelector(".filter").addEventListener("input", show);
  tools.querySelector(".state").addEventListener("change", show);
  tools.querySelector(".clear").addEventListener("click", showAll);
  const button = tools.querySelector(".csv");
  button.addEventListener("click", () => download(button.dataset.name));
}

// --- Copy ---------------------------------------------------------------------------------------

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("not copied");
  }
}

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", () => {
    copy(button.dataset.copy).then(
      () => {
        button.textContent = "Copied";
        live.textContent = "The configuration is in the clipboard.";
      },
      () => {
        button.textContent = "Not allowed here";
      },
    );
  });
}
