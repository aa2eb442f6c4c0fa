// The moment: a slider over the versions of each month, with its years; typed dates, and the second clock.

import { ask } from "./api.js";
import { dayOf, isoOf, monthOf, monthsLater, today, told } from "./dates.js";
import { clear, el, svg } from "./dom.js";
import { go, state } from "./state.js";

const LONE = 0.02; // of all versions: so few, long before all others, do not stretch the axis
const LABEL = 90; // pixels that a label of the axis has at least

const $ = (id) => document.getElementById(id);
let months = []; // of the calendar, with the day on which each begins
let first = today() - 1, last = today(); // of the slider
let timer = 0; // of a movement whose results are not asked for yet

export async function startClock() {
  const calendar = await ask("calendar", {}).catch(() => null);
  months = (calendar?.months ?? []).map((each) => ({ ...each, day: dayOf(`${each.month}-01`) }));
  zoom(...usual());
}

/** The years in which documents were published, the newest first. */
export const years = () => [...new Set(months.map((each) => each.month.slice(0, 4)))].reverse();

/** All days with documents, and today. */
const whole = () => [months[0]?.day ?? today() - 1, Math.max(today(), months.length ? months.at(-1).day + 28 : 0)];

/** The days that the axis shows at first: without a few lone versions long before the others. */
function usual() {
  const [start, end] = whole();
  const most = LONE * months.reduce((sum, each) => sum + each.versions, 0);
  let before = 0;
  for (let at = 0; at + 1 < months.length; at++) {
    before += months[at].versions;
    if (before > most) break;
    const next = months[at + 1].day;
    if (next - months[at].day > (end - next) / 4) return [next, end];
  }
  return [start, end];
}

/** Show these days on the axis. */
function zoom(from, to) {
  [first, last] = [from, Math.max(to, from + 1)];
  $("day").min = first;
  $("day").max = last;
  drawHistogram();
  drawAxis();
  showClock();
}

/** Listen to the slider, the buttons and the fields. */
export function listen() {
  const slider = $("day");
  slider.addEventListener("input", () => move(Number(slider.value), true));
  slider.addEventListener("change", () => move(Number(slider.value), false));
  slider.addEventListener("keydown", (event) => {
    const steps = { PageUp: 1, PageDown: -1 }[event.key];
    if (!steps) return;
    event.preventDefault();
    move(monthsLater(Number(slider.value), steps), false);
  });
  $("now").addEventListener("click", () => goTo(""));
  $("typed").addEventListener("change", () => $("typed").value.trim() && goTo($("typed").value.trim()));
  $("known_at").addEventListener("change", () => go({ known_at: $("known_at").value.trim() }));
  $("second").addEventListener("click", () => showKnown($("known").hidden));
}

/** Show a day; results follow shortly after the last movement. */
export function move(day, moving) {
  const within = Math.min(Math.max(day, first), last);
  $("day").value = within;
  tell(isoOf(within));
  settle();
  if (!moving) return go({ as_of: isoOf(within) });
  timer = setTimeout(() => { timer = 0; go({ as_of: isoOf(within) }, true); }, 60);
}

/** Go to a moment as it was written; "" is now. A movement under way ends. */
export function goTo(as_of) {
  settle();
  go({ as_of });
  showClock();
}

function settle() {
  clearTimeout(timer);
  timer = 0;
}

export const moveYears = (count) => move(monthsLater(Number($("day").value), 12 * count), false);

/** Show the moment of the state; `answered`: the instant that an answer reports for it. */
export function showClock(answered = "") {
  if (timer) return; // the slider is ahead of what was answered
  const { as_of, known_at } = state();
  const iso = /^\d{4}-\d{2}-\d{2}/.test(as_of) ? as_of.slice(0, 10) : as_of ? answered.slice(0, 10) : "";
  const day = iso ? dayOf(iso) : today(), [start, end] = whole();
  if (iso && (day < first || day > last) && day >= start && day <= end) return zoom(start, end); // it lies outside
  $("day").value = Math.min(Math.max(day, first), last);
  tell(iso, as_of && !iso ? as_of : "");
  $("typed").value = as_of && !/^\d{4}-\d{2}-\d{2}$/.test(as_of) ? as_of : "";
  $("known_at").value = known_at;
  if (known_at) showKnown(true);
  $("now").setAttribute("aria-pressed", String(!as_of));
}

function tell(iso, words = "") {
  const text = words || told(iso);
  $("told").textContent = text;
  $("day").setAttribute("aria-valuetext", text);
}

function showKnown(shown) {
  $("known").hidden = !shown;
  $("second").setAttribute("aria-expanded", String(shown));
  if (shown && !state().known_at) $("known_at").focus();
}

function drawHistogram() {
  const shown = months.filter((each) => each.day + 27 >= first && each.day <= last);
  const width = last - first, most = Math.max(1, ...shown.map((each) => each.versions));
  const bars = shown.map((each) => {
    const height = 40 * Math.sqrt(each.versions / most);
    return svg("rect", { x: each.day - first, y: 40 - height, width: Math.max(28, width / 400), height });
  });
  $("histogram").setAttribute("viewBox", `0 0 ${width} 40`);
  clear($("histogram"), ...bars);
}

/** Years below the slider, or the months of one; a click on a year shows it alone. */
function drawAxis() {
  const [start, end] = whole(), all = first <= start && last >= end;
  const [from, to] = [isoOf(first), isoOf(last)], monthly = last - first < 3 * 365;
  const marks = [];
  for (let at = from.slice(0, monthly ? 7 : 4); at <= to; at = isoOf(monthsLater(dayOf(monthly ? `${at}-01` : `${at}-01-01`), monthly ? 1 : 12)).slice(0, monthly ? 7 : 4))
    marks.push(at);
  const step = Math.ceil(marks.length / Math.max(2, Math.min(8, Math.floor($("axis").clientWidth / LABEL))));
  const labels = marks.filter((_, at) => at % step === 0).map((mark) => {
    const begins = dayOf(monthly ? `${mark}-01` : `${mark}-01-01`);
    const name = monthly ? `${monthOf(`${mark}-01`).slice(0, 3)} ${mark.slice(0, 4)}` : mark;
    const ends = monthsLater(begins, monthly ? 1 : 12 * step) - 1;
    const label = el("button", { type: "button", class: "mark", title: monthly ? `as of the end of ${name}` : `only ${step > 1 ? `${mark} to ${isoOf(ends).slice(0, 4)}` : mark}`,
      onclick: () => (monthly ? move(ends, false) : zoom(begins, Math.min(ends, end))) }, name);
    label.style.left = `${Math.min(96, Math.max(0, (100 * (begins - first)) / (last - first)))}%`;
    return label;
  });
  clear($("axis"), ...labels);
  $("all").hidden = all;
  $("all").textContent = first > start ? `From ${isoOf(start).slice(0, 4)}` : "All years";
  $("all").onclick = () => zoom(start, end);
}
