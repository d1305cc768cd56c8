// What is told of one node: formulas with shapes, numbers, times. Also how numbers are written.
const escapeText = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// JSON has no NaN and no infinities: they come as words.
const asNumber = (value) => (typeof value === "number" ? value : Number(value));

function numberText(value, digits = 4) {
  const x = asNumber(value);
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-4 ? x.toExponential(2) : String(Number(x.toPrecision(digits)));
  return text.replaceAll("-", "−");
}
function timeText(seconds) {
  for (const [size, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]]) {
    if (seconds >= size) return numberText(seconds / size, 3) + " " + unit;
  }
  return numberText(seconds * 1e9, 3) + " ns";
}
function bytesText(bytes) {
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (bytes >= size) return numberText(bytes / size, 3) + " " + unit;
  }
  return bytes + " bytes";
}
const isDamaged = (summary) => Boolean(summary && (summary.nan || summary.infinite));

// One number that tells the size of a tensor: itself if it has one element, else its norm.
function figureOf(summary) {
  if (!summary) return "";
  if (summary.nan) return "NaN";
  if (summary.infinite) return "∞";
  return summary.elements?.length === 1 ? numberText(summary.elements[0]) : "‖" + numberText(summary.norm, 3) + "‖";
}

// The last two axes as tables, one below the other for each index of the axes in front.
function numbersMarkup(summary) {
  const sizes = summary.sizes;
  const columns = sizes.length ? sizes[sizes.length - 1] : 1;
  const rows = sizes.length > 1 ? sizes[sizes.length - 2] : 1;
  const largest = Math.max(...summary.elements.map((x) => Math.abs(asNumber(x))).filter(Number.isFinite), 1e-300);
  let markup = "";
  for (let start = 0, sheet = 0; start < summary.elements.length; start += rows * columns, ++sheet) {
    if (sizes.length > 2) {
      const index = [];
      for (let rest = sheet, axis = sizes.length - 3; axis >= 0; --axis) {
        index.unshift(rest % sizes[axis]);
        rest = Math.floor(rest / sizes[axis]);
      }
      markup += `<tr><td class="sheet" colspan="${columns}">[${index.join(", ")}, :, :]</td></tr>`;
    }
    for (let r = 0; r < rows; ++r) {
      markup += "<tr>";
      for (let c = 0; c < columns; ++c) {
        const x = summary.elements[start + r * columns + c];
        const strength = Math.min(1, Math.abs(asNumber(x)) / largest) || 0;
        markup += `<td style="--strength:${strength.toFixed(2)}">${numberText(x, 3)}</td>`;
      }
      markup += "</tr>";
    }
  }
  return `<div class="scroll"><table class="numbers">${markup}</table></div>`;
}

function histogramMarkup(summary) {
  const counts = summary.histogram;
  const most = Math.max(...counts, 1);
  const bars = counts.map((count, i) => {
    const height = count ? Math.max(1.5, (58 * count) / most) : 0;
    return `<rect x="${i * 10 + 1}" y="${60 - height}" width="8" height="${height}"><title>${count}</title></rect>`;
  });
  return `<svg class="histogram" viewBox="0 0 ${counts.length * 10} 60" preserveAspectRatio="none" role="img" ` +
    `aria-label="Histogram">${bars.join("")}</svg><div class="ends"><span>${numberText(summary.minimum)}</span>` +
    `<span>${numberText(summary.maximum)}</span></div>`;
}

function summaryMarkup(summary, hue) {
  const damaged = [[summary.nan, "NaN"], [summary.infinite, "infinite"]]
    .filter(([count]) => count).map(([count, what]) => ` <span class="bad">${count} ${what}</span>`).join("");
  const figures = [["norm", summary.norm], ["mean", summary.mean], ["deviation", summary.deviation],
    ["min", summary.minimum], ["max", summary.maximum]]
    .map(([name, x]) => `${name} <b>${numberText(x)}</b>`).join(" · ");
  const zeros = summary.zeros ? ` · <b>${summary.zeros}</b> zero` : "";
  const isSingle = summary.elements?.length === 1;
  const picture = summary.elements ? (summary.elements.length ? numbersMarkup(summary) : "") : histogramMarkup(summary);
  return `<div style="--hue:${hue}">${picture}</div><p class="figures">` +
    `${isSingle ? "" : figures + zeros}${damaged}</p>`;
}

// Shapes in small letters; clauses of a vjp on lines of their own.
function formulaMarkup(formula, kind) {
  const lines = formula.split("; ").map((line) =>
    `<p>${escapeText(line).replace(/ (\[[\d, ]*\])/g, '<span class="shape">$1</span>').replaceAll("[]", "[ ]")}</p>`);
  return `<div class="formula ${kind}">${lines.join("")}</div>`;
}

function linksMarkup(trace, positions) {
  const link = (i) => {
    const node = trace.nodes[i];
    return `<button data-node="${i}">${escapeText(node.name || node.operation)} ${escapeText(node.shape)}</button>`;
  };
  return `<div class="links">${positions.map(link).join("")}</div>`;
}

function detailsMarkup(trace, users, i, isBackward) {
  const node = trace.nodes[i];
  const isParameter = node.family === "parameter";
  const parts = [`<h2>${escapeText(node.name || node.operation)}</h2>`];
  const path = node.scope >= 0 ? trace.scopes[node.scope].path + " · " : "";
  const kind = isParameter ? "parameter" : node.operation;
  parts.push(`<p class="path">${escapeText(path)}number ${node.number} · ${escapeText(kind)} ` +
    `${escapeText(node.shape)} ${node.dtype}</p>`);
  const value = [];
  if (!isParameter) value.push("<h3>Forward</h3>", formulaMarkup(node.formula, isBackward ? "quiet" : ""));
  if (node.value) value.push(`<h3>Value${isParameter ? "" : " y"}</h3>`, summaryMarkup(node.value, "var(--accent)"));
  const gradient = [];
  if (node.gradient) {
    gradient.push(`<h3>Gradient${isParameter ? "" : " g"} of the output by this</h3>`,
      summaryMarkup(node.gradient, "var(--back)"));
  }
  if (!isParameter) gradient.push("<h3>Backward: what it passes on</h3>", formulaMarkup(node.vjp, "vjp"));
  parts.push(...(isBackward ? [...gradient, ...value] : [...value, ...gradient]));
  const inputs = [...new Set(node.inputs.filter((input) => input >= 0))];
  if (inputs.length) parts.push("<h3>Inputs</h3>", linksMarkup(trace, inputs));
  if (users[i].length) parts.push("<h3>Used by</h3>", linksMarkup(trace, users[i]));
  const facts = [];
  if (node.forward !== undefined) facts.push(["forward", timeText(node.forward)]);
  if (node.backward !== undefined) facts.push(["backward", timeText(node.backward)]);
  if (node.kept) facts.push(["kept for backward", bytesText(node.kept)]);
  for (const saved of node.saved) facts.push(["saves", `${saved.what} ${saved.shape} ${saved.dtype}`]);
  if (facts.length) {
    parts.push('<h3>Costs</h3><table class="facts">' +
      facts.map(([name, text]) => `<tr><th>${name}</th><td>${escapeText(text)}</td></tr>`).join("") + "</table>");
  }
  for (const saved of node.saved.filter((one) => one.value)) {
    parts.push(`<h3>Saved: ${escapeText(saved.what)}</h3>`, summaryMarkup(saved.value, "var(--muted)"));
  }
  return parts.join("");
}
