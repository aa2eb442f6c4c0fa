// The moment: a slider over a histogram of versions by month, typed dates, and the second clock.

import { ask } from "./api.js";
import { dayOf, isoOf, monthsLater, today, told } from "./dates.js";
import { clear, svg } from "./dom.js";
import { go, state } from "./state.js";

const $ = (id) => document.getElementById(id);
let first = today() - 1, last = today();
let timer = 0; // of a movement whose results are not asked for yet

export async function startClock() {
  const slider = $("day");
  const calendar = await ask("calendar", {}).catch(() => ({ months: [] }));
  const months = calendar?.months ?? [];
  if (months.length) {
    first = dayOf(`${months[0].month}-01`);
    last = Math.max(today(), dayOf(`${months.at(-1).month}-28`));
  }
  slider.min = first;
  slider.max = last;
  drawHistogram(months);
}

/** Listen to the slider, the buttons and the fields. */
export function listen() {
  const slider = $("day");
  slider.addEventListener("input", () => move(Number(slider.value), true));
  slider.addEventListener("change", () => move(Number(slider.value), false));
  slider.addEventListener("keydown", (event) => {
    const months = { PageUp: 1, PageDown: -1 }[event.key];
    if (!months) return;
    event.preventDefault();
    move(monthsLater(Number(slider.value), months), false);
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

export const moveYears = (years) => move(monthsLater(Number($("day").value), 12 * years), false);

/** Show the moment of the state; `answered`: the instant that an answer reports for it. */
export function showClock(answered = "") {
  if (timer) return; // the slider is ahead of what was answered
  const { as_of, known_at } = state();
  const iso = /^\d{4}-\d{2}-\d{2}/.test(as_of) ? as_of.slice(0, 10) : as_of ? answered.slice(0, 10) : "";
  $("day").value = iso ? Math.min(Math.max(dayOf(iso), first), last) : Math.min(today(), last);
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

function drawHistogram(months) {
  const width = Math.max(1, last - first), most = Math.max(1, ...months.map((each) => each.versions));
  const bars = months.map((each) => {
    const day = dayOf(`${each.month}-01`), height = 40 * Math.sqrt(each.versions / most);
    return svg("rect", { x: day - first, y: 40 - height, width: 28, height });
  });
  const picture = $("histogram");
  picture.setAttribute("viewBox", `0 0 ${width} 40`);
  clear(picture, ...bars);
}
