// The graph on the stage: which modules are open, where everything is, panning and zooming.
const groupHead = 24;
const groupPadding = 14;

class GraphView {
  constructor(trace, onSelect) {
    this.trace = trace;
    this.onSelect = onSelect;
    this.svg = document.getElementById("graph");
    this.world = document.getElementById("world");
    this.zoom = { x: 0, y: 0, scale: 1 };
    this.open = new Set();
    this.members = trace.scopes.map(() => ({ nodes: [], scopes: [], count: 0 }));
    this.roots = { nodes: [], scopes: [] };
    trace.nodes.forEach((node, i) => {
      (node.scope < 0 ? this.roots : this.members[node.scope]).nodes.push(i);
      for (let s = node.scope; s >= 0; s = trace.scopes[s].parent) ++this.members[s].count;
    });
    trace.scopes.forEach((scope, i) =>
      (scope.parent < 0 ? this.roots : this.members[scope.parent]).scopes.push(i));
    this.users = trace.nodes.map(() => []);
    trace.nodes.forEach((node, i) => new Set(node.inputs).forEach((input) => {
      if (input >= 0) this.users[input].push(i);
    }));
    this.openSome(40);
    this.listen();
  }

  // Opens modules from the outside in while no more than `limit` boxes are to be seen.
  openSome(limit) {
    let visible = this.roots.nodes.length + this.roots.scopes.length;
    const queue = [...this.roots.scopes];
    for (let next = 0; next < queue.length; ++next) {
      const inside = this.members[queue[next]];
      const more = inside.nodes.length + inside.scopes.length - 1;
      if (visible + more > limit && visible > 1) continue;
      visible += more;
      this.open.add(queue[next]);
      queue.push(...inside.scopes);
    }
  }

  // What stands for a node: itself, or the outermost closed module around it.
  shownFor(node) {
    let shown = "n" + node;
    for (let s = this.trace.nodes[node].scope; s >= 0; s = this.trace.scopes[s].parent) {
      if (!this.open.has(s)) shown = "s" + s;
    }
    return shown;
  }

  label(scope) {
    const { path, parent } = this.trace.scopes[scope];
    const outer = parent < 0 ? "" : this.trace.scopes[parent].path + ".";
    return path.startsWith(outer) ? path.slice(outer.length) : path;
  }

  // ---- Layout ----------------------------------------------------------------------------------
  arrange() {
    this.boxes = new Map();   // of what is shown: its corner and size on the stage
    this.frames = [];         // of open modules
    this.links = new Map();   // "from>to" -> { from, to, points }
    const pairs = this.pairs();
    const root = this.level(this.roots, pairs, -1);
    this.size = { width: root.width, height: root.height };
    root.settle(0, 0);
  }

  // Edges between what is shown, each with the chain of open modules around its ends.
  pairs() {
    const shown = this.trace.nodes.map((_, i) => this.shownFor(i));
    this.shown = shown;
    const pairs = new Map();
    this.trace.nodes.forEach((node, to) => {
      for (const from of node.inputs) {
        if (from < 0 || shown[from] === shown[to]) continue;
        pairs.set(shown[from] + ">" + shown[to], { from, to });
      }
    });
    // At which level two ends part: the innermost module around both.
    const byLevel = new Map();
    for (const [key, { from, to }] of pairs) {
      const around = new Map();
      let inner = shown[from];
      for (let s = this.scopeAround(from, shown[from]); ; s = this.trace.scopes[s].parent) {
        around.set(s, inner);
        if (s < 0) break;
        inner = "s" + s;
      }
      let end = shown[to];
      let level = this.scopeAround(to, shown[to]);
      while (!around.has(level)) {
        end = "s" + level;
        level = this.trace.scopes[level].parent;
      }
      const list = byLevel.get(level) || byLevel.set(level, new Map()).get(level);
      const ends = around.get(level) + ">" + end;
      (list.get(ends) || list.set(ends, { from: around.get(level), to: end, keys: [] }).get(ends)).keys.push(key);
    }
    return byLevel;
  }

  scopeAround(node, shown) {
    return shown[0] === "n" ? this.trace.nodes[node].scope : this.trace.scopes[Number(shown.slice(1))].parent;
  }

  level(content, pairs, scope) {
    const items = [];
    const add = (key, first, box) => items.push({ key, first, ...box });
    for (const node of content.nodes) add("n" + node, node, this.nodeSize(node));
    for (const inner of content.scopes) {
      const first = this.firstNode(inner);
      if (!this.open.has(inner)) add("s" + inner, first, this.foldedSize(inner));
      else {
        const part = this.level(this.members[inner], pairs, inner);
        const width = Math.max(part.width + 2 * groupPadding, this.label(inner).length * 6.6 + 34);
        add("s" + inner, first, { part, scope: inner, width, height: part.height + groupHead + groupPadding });
      }
    }
    items.sort((a, b) => a.first - b.first);
    const position = new Map(items.map((item, i) => [item.key, i]));
    const links = [...(pairs.get(scope) || new Map()).values()];
    const edges = links.map(({ from, to }) => {
      const a = position.get(from);
      const b = position.get(to);
      return a < b ? [a, b] : [b, a];
    });
    const { width, height, routes } = layoutLevel(items, edges);
    const settle = (left, top) => {
      for (const item of items) {
        const box = { x: left + item.x, y: top + item.y, width: item.width, height: item.height };
        if (item.part) {
          this.frames.push({ ...box, scope: item.scope });
          const inset = (item.width - item.part.width) / 2;
          item.part.settle(box.x + inset, box.y + groupHead);
        } else this.boxes.set(item.key, box);
      }
      links.forEach((link, i) => {
        const points = routes[i].map(([x, y]) => [left + x, top + y]);
        for (const key of link.keys) this.links.set(key, points);
      });
    };
    return { width, height, settle };
  }

  // The first operation inside: modules follow each other in the order of these. Parameters are
  // older than any operation and say nothing.
  firstNode(scope) {
    const { nodes, scopes } = this.members[scope];
    const operation = nodes.find((i) => this.trace.nodes[i].family !== "parameter");
    return Math.min(operation ?? Infinity, ...scopes.map((inner) => this.firstNode(inner)));
  }
  nodeSize(i) {
    const { title, size } = this.captions(i);
    return { width: Math.max(64, title.length * 7.3 + 24, size.length * 6.3 + 24), height: 40 };
  }
  foldedSize(scope) {
    return { width: Math.max(120, this.label(scope).length * 7.4 + 30), height: 44 };
  }
  captions(i) {
    const node = this.trace.nodes[i];
    const figure = figureOf(node.value);
    const name = node.name.split(".").slice(-2).join(".");
    return { title: name || node.operation, size: node.shape + (figure ? "  " + figure : "") };
  }

  // ---- Drawing ---------------------------------------------------------------------------------
  draw() {
    this.arrange();
    const groups = this.frames.map((frame) =>
      `<g class="group" data-scope="${frame.scope}"><rect x="${frame.x}" y="${frame.y}" width="${frame.width}" ` +
      `height="${frame.height}" rx="12"/><text x="${frame.x + 11}" y="${frame.y + 16}">▾ ` +
      `${escapeText(this.label(frame.scope))}</text></g>`);
    const nodes = [];
    for (const [key, box] of this.boxes) nodes.push(key[0] === "n" ? this.nodeMarkup(key, box) : this.foldedMarkup(key, box));
    const edges = [];
    for (const [key, points] of this.links) {
      const [from, to] = key.split(">");
      edges.push(`<path class="edge" data-key="${key}" d="${this.curve(from, to, points)}"/>`);
    }
    document.getElementById("groups").innerHTML = groups.join("");
    document.getElementById("edges").innerHTML = edges.join("");
    document.getElementById("nodes").innerHTML = nodes.join("");
    this.elements = new Map([...document.querySelectorAll(".node")].map((e) => [e.dataset.key, e]));
    this.edgeElements = new Map([...document.querySelectorAll(".edge")].map((e) => [e.dataset.key, e]));
  }

  nodeMarkup(key, box) {
    const i = Number(key.slice(1));
    const node = this.trace.nodes[i];
    const { title, size } = this.captions(i);
    const isBad = isDamaged(node.value) || isDamaged(node.gradient);
    return this.boxMarkup(key, box, node.family + (isBad ? " bad" : ""), title, size);
  }
  foldedMarkup(key, box) {
    const scope = Number(key.slice(1));
    return this.boxMarkup(key, box, "folded", "▸ " + this.label(scope), this.members[scope].count + " nodes inside");
  }
  boxMarkup(key, { x, y, width, height }, kind, title, size) {
    return `<g class="node ${kind}" data-key="${key}" transform="translate(${x.toFixed(2)},${y.toFixed(2)})">` +
      `<rect class="box" width="${width}" height="${height}" rx="7"/>` +
      `<rect class="strip" x="0.6" y="7" width="4" height="${height - 14}" rx="2"/>` +
      `<text class="name" x="13" y="${height / 2 - 3}">${escapeText(title)}</text>` +
      `<text class="size" x="13" y="${height / 2 + 12}">${escapeText(size)}</text></g>`;
  }

  curve(from, to, points) {
    const a = this.boxes.get(from);
    const b = this.boxes.get(to);
    const stops = [[a.x + a.width / 2, a.y + a.height], ...points, [b.x + b.width / 2, b.y - 1]];
    let path = `M${stops[0][0].toFixed(1)} ${stops[0][1].toFixed(1)}`;
    for (let k = 1; k < stops.length; ++k) {
      const [x0, y0] = stops[k - 1];
      const [x1, y1] = stops[k];
      const bend = Math.abs(y1 - y0) / 2;
      path += `C${x0.toFixed(1)} ${(y0 + bend).toFixed(1)} ${x1.toFixed(1)} ${(y1 - bend).toFixed(1)} ` +
        `${x1.toFixed(1)} ${y1.toFixed(1)}`;
    }
    return path;
  }

  // ---- Opening and closing ---------------------------------------------------------------------
  toggle(scope) {
    const around = this.screenOf(scope);
    this.open.has(scope) ? this.open.delete(scope) : this.open.add(scope);
    this.draw();
    // What was clicked stays under the pointer.
    const now = this.screenOf(scope);
    if (around && now) this.pan(around[0] - now[0], around[1] - now[1]);
  }
  screenOf(scope) {
    const box = this.boxes.get("s" + scope) || this.frames.find((frame) => frame.scope === scope);
    return box && [this.zoom.x + box.x * this.zoom.scale, this.zoom.y + box.y * this.zoom.scale];
  }
  reveal(node) {
    for (let s = this.trace.nodes[node].scope; s >= 0; s = this.trace.scopes[s].parent) this.open.add(s);
    this.draw();
  }
  openAll(wanted) {
    this.open = new Set(wanted ? this.trace.scopes.keys() : []);
    this.draw();
    this.fit();
  }

  // ---- Panning and zooming ---------------------------------------------------------------------
  apply() {
    const { x, y, scale } = this.zoom;
    this.world.setAttribute("transform", `translate(${x.toFixed(2)},${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
  }
  pan(dx, dy) {
    this.zoom.x += dx;
    this.zoom.y += dy;
    this.apply();
  }
  zoomBy(factor, x = this.svg.clientWidth / 2, y = this.svg.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.02, this.zoom.scale * factor));
    const ratio = scale / this.zoom.scale;
    this.zoom = { x: x - (x - this.zoom.x) * ratio, y: y - (y - this.zoom.y) * ratio, scale };
    this.apply();
  }
  fit() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    const scale = Math.min(1.4, (width - 48) / this.size.width, (height - 100) / this.size.height);
    this.zoom.scale = Math.max(scale, 0.02);
    this.zoom.x = (width - this.size.width * this.zoom.scale) / 2;
    this.zoom.y = Math.max(24, (height - 60 - this.size.height * this.zoom.scale) / 2);
    this.apply();
  }
  // At first: all of it if that can be read, else its end, where the output is.
  fitReadably() {
    this.fit();
    if (this.zoom.scale >= 0.45) return;
    this.zoom.scale = 0.8;
    this.center(this.trace.nodes.length - 1, 0.8);
  }
  center(node, at = 0.5) {
    const box = this.boxes.get(this.shown[node]);
    this.zoom.x = this.svg.clientWidth / 2 - (box.x + box.width / 2) * this.zoom.scale;
    this.zoom.y = this.svg.clientHeight * at - (box.y + box.height / 2) * this.zoom.scale;
    this.apply();
  }
  // Moves only if the node is not to be seen, or too small to be read.
  show(node) {
    const box = this.boxes.get(this.shown[node]);
    const left = this.zoom.x + box.x * this.zoom.scale;
    const top = this.zoom.y + box.y * this.zoom.scale;
    const isSeen = left > 10 && top > 10 && left + box.width * this.zoom.scale < this.svg.clientWidth - 10 &&
      top + box.height * this.zoom.scale < this.svg.clientHeight - 60;
    if (!isSeen) this.center(node);
  }

  listen() {
    let start = null;
    this.svg.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX, y: event.clientY, moved: false, target: event.target };
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!start) return;
      const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
      if (!start.moved && Math.hypot(dx, dy) < 4) return;
      if (!start.moved) this.svg.setPointerCapture(event.pointerId);
      this.svg.classList.add("dragging");
      this.pan(dx, dy);
      Object.assign(start, { x: event.clientX, y: event.clientY, moved: true });
    });
    const stop = () => {
      start = null;
      this.svg.classList.remove("dragging");
    };
    this.svg.addEventListener("pointerup", stop);
    this.svg.addEventListener("pointercancel", stop);
    this.svg.addEventListener("click", (event) => {
      const group = event.target.closest(".group > text");
      if (group) return this.onSelect({ scope: Number(group.parentNode.dataset.scope) });
      const node = event.target.closest(".node");
      if (!node) return;
      const number = Number(node.dataset.key.slice(1));
      this.onSelect(node.dataset.key[0] === "n" ? { node: number } : { scope: number });
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      if (event.ctrlKey || !event.shiftKey) {
        this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
      } else this.pan(-event.deltaY, 0);
    }, { passive: false });
  }
}
