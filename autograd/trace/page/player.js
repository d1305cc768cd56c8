// Steps through the computation: forward from the first operation to the output, then backward from
// the output to the parameters. Wires buttons, keys and search to the view.
const trace = JSON.parse(document.getElementById("trace").textContent);
const root = document.documentElement;
const byId = (id) => document.getElementById(id);

const steps = [];
trace.nodes.forEach((node, i) => {
  if (node.family !== "parameter") steps.push({ node: i, isBackward: false });
});
const forwardCount = steps.length;
for (let i = trace.nodes.length - 1; i >= 0; --i) {
  if (trace.nodes[i].family !== "parameter" && trace.nodes[i].gradient) steps.push({ node: i, isBackward: true });
}

const view = new GraphView(trace, (chosen) => {
  if (chosen.scope !== undefined) {
    view.toggle(chosen.scope);
    paint();
  } else {
    select(chosen.node);
  }
});

let step = -1;                             // −1: nothing chosen yet, everything lit
let selected = trace.nodes.length - 1;     // whose details are shown
let timer = 0;

function paint() {
  const now = steps[step];
  const isBackward = Boolean(now && now.isBackward);
  document.body.classList.toggle("in-backward", isBackward);
  const computed = new Set();
  const flowed = new Set();
  steps.slice(0, step + 1).forEach(({ node, isBackward: back }) => {
    if (!back) computed.add(view.shown[node]);
    else for (const input of trace.nodes[node].inputs) if (input >= 0) flowed.add(view.shown[input]);
    if (back) flowed.add(view.shown[node]);
  });
  trace.nodes.forEach((node, i) => {
    if (node.family === "parameter") computed.add(view.shown[i]);
  });
  const current = view.shown[now && now.node === selected ? now.node : selected];
  for (const [key, element] of view.elements) {
    element.classList.toggle("waiting", step >= 0 && !computed.has(key));
    element.classList.toggle("flowed", isBackward && flowed.has(key));
    element.classList.toggle("now", key === current);
  }
  for (const [key, element] of view.edgeElements) {
    element.classList.toggle("now", key.endsWith(">" + current));
  }
  byId("step").value = step + 1;
  byId("where").value = step < 0 ? `${steps.length} steps` : isBackward
    ? `backward ${step - forwardCount + 1} of ${steps.length - forwardCount}`
    : `forward ${step + 1} of ${forwardCount}`;
}

function tell() {
  const now = steps[step];
  const isBackward = Boolean(now && now.isBackward && now.node === selected);
  byId("details").innerHTML = detailsMarkup(trace, view.users, selected, isBackward);
  byId("details").scrollTop = 0;
}

function goTo(next) {
  step = Math.min(steps.length - 1, Math.max(-1, next));
  if (step >= 0) selected = steps[step].node;
  paint();
  tell();
  if (step >= 0) view.show(selected);
  if (step === steps.length - 1) pause();
}

function select(node, isFound = false) {
  selected = node;
  if (isFound) {
    view.reveal(node);
    if (view.zoom.scale < 0.6) view.zoom.scale = 0.9;
    view.center(node);
  }
  paint();
  tell();
  view.show(node);
}

function pause() {
  clearInterval(timer);
  timer = 0;
  byId("play").textContent = "▶ Play";
}
function playOrPause() {
  if (timer) return pause();
  if (step === steps.length - 1) goTo(-1);
  byId("play").textContent = "⏸ Pause";
  timer = setInterval(() => goTo(step + 1), Math.max(60, Math.min(800, 60000 / steps.length)));
}

// ---- Search --------------------------------------------------------------------------------------
function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  trace.nodes.forEach((node, i) => {
    const path = node.scope >= 0 ? trace.scopes[node.scope].path : "";
    const place = `${node.operation} ${node.name} ${path} ${node.shape} #${node.number}`.toLowerCase();
    if (words.every((word) => place.includes(word))) found.push(i);
  });
  return found;
}
function showMatches() {
  const found = find(byId("search").value);
  byId("matches").hidden = !byId("search").value.trim();
  byId("matches").innerHTML = found.length ? found.slice(0, 50).map((i) => {
    const node = trace.nodes[i];
    const path = node.scope >= 0 ? trace.scopes[node.scope].path : "";
    return `<li><button data-node="${i}"><b>${escapeText(node.name || node.operation)}</b>` +
      `<span>${escapeText(node.shape)}</span><small>${escapeText(path)}</small></button></li>`;
  }).join("") + (found.length > 50 ? `<li><small>… ${found.length - 50} more</small></li>` : "")
    : "<li><small>nothing found</small></li>";
}
function take(event) {
  const button = event.target.closest("[data-node]");
  if (!button) return;
  byId("matches").hidden = true;
  select(Number(button.dataset.node), true);
  byId("stage").focus();
}
byId("search").addEventListener("input", showMatches);
byId("search").addEventListener("focus", showMatches);
byId("search").addEventListener("keydown", (event) => {
  const first = byId("matches").querySelector("button");
  if (event.key === "Enter" && first) first.click();
  else if (event.key === "ArrowDown" && first) first.focus();
  else if (event.key === "Escape") {
    byId("search").value = "";
    byId("matches").hidden = true;
    byId("stage").focus();
  } else return;
  event.preventDefault();
});
byId("matches").addEventListener("keydown", (event) => {
  const item = event.target.closest("li");
  const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[event.key];
  if (event.key === "ArrowUp" && !next) byId("search").focus();
  else if (next) next.querySelector("button")?.focus();
  else return;
  event.preventDefault();
});
byId("matches").addEventListener("click", take);
byId("details").addEventListener("click", take);
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".search")) byId("matches").hidden = true;
});

// ---- Buttons and keys ----------------------------------------------------------------------------
const actions = {
  first: () => goTo(-1),
  back: () => goTo(step - 1),
  play: playOrPause,
  forward: () => goTo(step + 1),
  last: () => goTo(steps.length - 1),
  turn: () => goTo(forwardCount),
  "zoom-in": () => view.zoomBy(1.3),
  "zoom-out": () => view.zoomBy(1 / 1.3),
  fit: () => view.fit(),
  expand: () => { view.openAll(true); paint(); },
  collapse: () => { view.openAll(false); paint(); },
  theme: () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; },
};
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
byId("turn").disabled = forwardCount === steps.length;
byId("step").addEventListener("input", () => goTo(Number(byId("step").value) - 1));

function toggleAround(node) {
  const shown = view.shown[node];
  const scope = shown[0] === "s" ? Number(shown.slice(1)) : trace.nodes[node].scope;
  if (scope >= 0) view.toggle(scope);
  paint();
}
const keys = {
  ArrowRight: actions.forward, ArrowLeft: actions.back, Home: actions.first, End: actions.last,
  ArrowUp: () => {
    const input = trace.nodes[selected].inputs.find((one) => one >= 0);
    if (input !== undefined) select(input);
  },
  ArrowDown: () => {
    if (view.users[selected].length) select(view.users[selected][0]);
  },
  " ": actions.play, b: actions.turn, "+": actions["zoom-in"], "=": actions["zoom-in"],
  "-": actions["zoom-out"], 0: actions.fit, e: actions.expand, c: actions.collapse, t: actions.theme,
  Enter: () => toggleAround(selected),
  "/": () => byId("search").focus(),
};
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input, button, #details, #details *");
  const isOwn = isTyping && !(event.target.matches("button") && !["Enter", " "].includes(event.key));
  if (isOwn || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

// ---- Start ---------------------------------------------------------------------------------------
const darkness = matchMedia("(prefers-color-scheme: dark)");
const followSystem = () => { root.dataset.theme = darkness.matches ? "dark" : "light"; };
darkness.addEventListener("change", followSystem);
followSystem();
document.querySelector("h1").textContent = trace.title;
byId("summary").textContent = trace.summary;
byId("step").max = steps.length;
view.draw();
view.fitReadably();
paint();
tell();
