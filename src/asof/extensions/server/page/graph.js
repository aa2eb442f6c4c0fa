// The names around one: a small force layout, drawn once, and the same as a list.

import { el, shortened, svg } from "./dom.js";
import { address, go } from "./state.js";

const WIDTH = 800, HEIGHT = 480, STEPS = 220;

export function graphView(answer) {
  const places = layout(answer.nodes, answer.edges);
  const lines = answer.edges.map((edge) => {
    const [a, b] = [places.get(edge.source), places.get(edge.target)];
    return a && b ? svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y }) : null;
  }).filter(Boolean);
  const dots = answer.nodes.flatMap((node, place) => {
    const { x, y } = places.get(node.name);
    const dot = svg("circle", { cx: x, cy: y, r: place ? 6 : 10, onclick: () => go({ around: node.name }) });
    const label = svg("text", { x: x + 10, y: y + 4 });
    label.textContent = shortened(node.name, 32);
    return [dot, label];
  });
  const picture = svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Names around ${answer.query}` }, ...lines, ...dots);
  const facts = answer.edges.map((edge) => el("li", {},
    name(edge.source), ` ${edge.relation} `, edge.target === edge.source ? edge.object : name(edge.target),
    edge.time ? ` (${edge.time.text})` : "", " ", el("a", { href: address({ view: "document", document: edge.document, passage: edge.id }) }, "source")));
  return [picture, el("h2", {}, "The same as a list"), el("ul", {}, facts)];
}

const name = (text) => el("a", { href: address({ around: text }) }, text);

/** Places by repulsion between all and attraction along edges; the same each time. */
function layout(nodes, edges) {
  const places = new Map(nodes.map((node, at) => [node.name, {
    x: WIDTH / 2 + (at ? 160 * Math.cos(2.4 * at) : 0), y: HEIGHT / 2 + (at ? 140 * Math.sin(2.4 * at) : 0),
  }]));
  const all = [...places.values()];
  for (let step = 0; step < STEPS; step++) {
    const heat = 14 * (1 - step / STEPS), pushes = all.map(() => ({ x: 0, y: 0 }));
    all.forEach((a, i) => all.forEach((b, j) => {
      if (i === j) return;
      const dx = a.x - b.x || 0.1 * (i - j), dy = a.y - b.y || 0.1, near = 9000 / (dx * dx + dy * dy + 1);
      pushes[i].x += dx * near * 0.02;
      pushes[i].y += dy * near * 0.02;
    }));
    for (const edge of edges) {
      const a = places.get(edge.source), b = places.get(edge.target);
      if (!a || !b || a === b) continue;
      const i = all.indexOf(a), j = all.indexOf(b), dx = b.x - a.x, dy = b.y - a.y;
      pushes[i].x += dx * 0.02; pushes[i].y += dy * 0.02; pushes[j].x -= dx * 0.02; pushes[j].y -= dy * 0.02;
    }
    all.forEach((place, i) => {
      if (!i) return;
      const size = Math.hypot(pushes[i].x, pushes[i].y) || 1, step = Math.min(size, heat);
      place.x = Math.min(WIDTH - 140, Math.max(20, place.x + (pushes[i].x / size) * step));
      place.y = Math.min(HEIGHT - 20, Math.max(20, place.y + (pushes[i].y / size) * step));
    });
  }
  return places;
}
