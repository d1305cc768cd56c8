// Places boxes of a graph in layers, level by level: a module that is open is laid out by itself and
// is then one box among its neighbours.
//
// layoutLevel(items, edges): items have width and height; edges are pairs [from, to] of positions in
// items and point from earlier to later items, so there are no cycles. Gives every item x and y (its
// corner) and returns { width, height, routes }, routes[edge] being points between the ends.
const layerGap = 34;
const itemGap = 18;

function layoutLevel(items, edges) {
  const layers = assignLayers(items, edges);
  const { boxes, chains } = insertWaypoints(items, edges, layers);
  const rows = orderRows(boxes);
  placeRows(rows);
  let left = Infinity;
  let right = -Infinity;
  for (const box of boxes) {
    left = Math.min(left, box.x);
    right = Math.max(right, box.x + box.width);
  }
  let y = 0;
  for (const row of rows) {
    const height = Math.max(0, ...row.map((box) => box.height));
    for (const box of row) {
      box.x -= left;
      box.y = y + (height - box.height) / 2;
    }
    y += height + layerGap;
  }
  boxes.slice(0, items.length).forEach((box, i) => Object.assign(items[i], { x: box.x, y: box.y }));
  const routes = chains.map((chain) =>
    chain.map((box) => [box.x + box.width / 2, box.y + box.height / 2]));
  return { width: items.length ? right - left : 0, height: Math.max(0, y - layerGap), routes };
}

// An item stands below everything that it uses; what uses nothing stands just above its first user.
function assignLayers(items, edges) {
  const layer = new Array(items.length).fill(0);
  const hasInput = new Array(items.length).fill(false);
  const users = items.map(() => []);
  for (const [from, to] of edges) {
    hasInput[to] = true;
    users[from].push(to);
  }
  for (let i = 0; i < items.length; ++i) {
    for (const to of users[i]) layer[to] = Math.max(layer[to], layer[i] + 1);
  }
  for (let i = items.length - 1; i >= 0; --i) {
    if (hasInput[i] || !users[i].length) continue;
    let lowest = Infinity;
    for (const to of users[i]) lowest = Math.min(lowest, layer[to]);
    layer[i] = lowest - 1;
  }
  const first = Math.min(...layer);
  return layer.map((value) => value - first);
}

// An edge that skips layers gets a narrow box in each, so that it has a lane of its own.
function insertWaypoints(items, edges, layers) {
  const boxes = items.map((item, i) =>
    ({ width: item.width, height: item.height, layer: layers[i], up: [], down: [], rank: i }));
  let spare = 6000;
  const link = (a, b) => {
    a.down.push(b);
    b.up.push(a);
  };
  const chains = edges.map(([from, to]) => {
    const chain = [];
    const span = layers[to] - layers[from] - 1;
    if (span > 0 && span <= spare) {
      spare -= span;
      for (let k = 1; k <= span; ++k) {
        chain.push({ width: 8, height: 0, layer: layers[from] + k, up: [], down: [], rank: from, isLane: true });
      }
    }
    const path = [boxes[from], ...chain, boxes[to]];
    for (let k = 1; k < path.length; ++k) link(path[k - 1], path[k]);
    return chain;
  });
  return { boxes: boxes.concat(...chains), chains };
}

// The order within each layer: repeatedly by the mean position of the neighbours.
function orderRows(boxes) {
  const rows = [];
  for (const box of boxes) (rows[box.layer] ||= []).push(box);
  const number = (row) => row.forEach((box, i) => { box.position = i - (row.length - 1) / 2; });
  rows.forEach((row) => {
    row.sort((a, b) => a.rank - b.rank);
    number(row);
  });
  const sweep = (order, side) => {
    for (const row of order) {
      for (const box of row) {
        const near = box[side];
        box.pull = near.length ? near.reduce((sum, other) => sum + other.position, 0) / near.length : box.position;
      }
      row.sort((a, b) => a.pull - b.pull || a.rank - b.rank);
      number(row);
    }
  };
  const upwards = [...rows].reverse();
  for (let round = 0; round < (boxes.length > 3000 ? 2 : 6); ++round) {
    sweep(rows, "up");
    sweep(upwards, "down");
  }
  return rows;
}

// Each box wants to stand below the middle of its neighbours; those that would overlap share the
// room they need around the mean of what they want.
function placeRows(rows) {
  for (const row of rows) {
    let x = 0;
    for (const box of row) {
      box.x = x;
      x += box.width + itemGap;
    }
    for (const box of row) box.x -= (x - itemGap) / 2;
  }
  const middle = (box) => box.x + box.width / 2;
  const settle = (row, sides) => {
    const clusters = [];
    for (const box of row) {
      const near = sides.flatMap((side) => box[side]);
      const wanted = near.length ? near.reduce((sum, other) => sum + middle(other), 0) / near.length : middle(box);
      const weight = box.isLane ? 4 : 1;
      let cluster = { boxes: [box], wanted: (wanted - box.width / 2) * weight, weight, width: box.width };
      cluster.x = cluster.wanted / weight;
      while (clusters.length) {
        const before = clusters[clusters.length - 1];
        if (before.x + before.width + itemGap <= cluster.x) break;
        clusters.pop();
        const shift = before.width + itemGap;
        cluster = {
          boxes: before.boxes.concat(cluster.boxes),
          wanted: before.wanted + cluster.wanted - shift * cluster.weight,
          weight: before.weight + cluster.weight,
          width: shift + cluster.width,
        };
        cluster.x = cluster.wanted / cluster.weight;
      }
      clusters.push(cluster);
    }
    for (const cluster of clusters) {
      let x = cluster.x;
      for (const box of cluster.boxes) {
        box.x = x;
        x += box.width + itemGap;
      }
    }
  };
  const upwards = [...rows].reverse();
  for (let round = 0; round < 4; ++round) {
    rows.forEach((row) => settle(row, ["up"]));
    upwards.forEach((row) => settle(row, ["down"]));
  }
  rows.forEach((row) => settle(row, ["up", "down"]));
}
