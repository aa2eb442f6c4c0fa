import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, yearsLater } from "../src/dates.ts";
import { PastNote } from "../src/opening.ts";
import type { Answer, Citation, Hit } from "../src/replies.ts";
import { inForce, showAnswer, showHits, type Actions, type Place } from "../src/results.ts";
import { App, DomEvent } from "./obsidian.ts";

const MOMENT = "2021-06-01T23:59:59Z";

const force = (from: string | null, until: string | null, by = "statement") => ({
  from,
  until,
  text: "draft",
  by,
});

test("when a passage holds is told from the moment that was asked", () => {
  const day = (text: string) => `${text}T00:00:00Z`;
  assert.equal(inForce(null, MOMENT), "");
  assert.equal(
    inForce(force(day("2020-01-01"), null, "published"), MOMENT),
    "",
    "in force since it was published goes without saying",
  );
  assert.equal(inForce(force(null, null, "status"), MOMENT), "not in force: draft");
  assert.equal(inForce(force(day("2021-07-01"), null), MOMENT), "takes effect on 1 July 2021");
  assert.equal(
    inForce(force(day("2020-01-01"), day("2021-01-01")), MOMENT),
    "ended on 31 December 2020",
    "until is the instant after the last",
  );
  assert.equal(
    inForce(force(day("2020-01-01"), day("2022-01-01")), MOMENT),
    "in force since 1 January 2020 until 31 December 2021",
  );
  assert.equal(
    inForce(force(null, day("2022-01-01"), "published"), MOMENT),
    "in force until 31 December 2021",
  );
});

const PASSAGE = {
  document: "Fares.md",
  title: "Fares",
  published: null,
  superseded_by: null,
  in_force: null,
  amended_by: [],
};

/** What is shown, and the places that clicks opened. */
function shown(show: (parent: HTMLElement, actions: Actions) => void) {
  const parent = document.createElement("div");
  const places: Place[] = [];
  show(parent, {
    open: (place) => void places.push(place),
    asItStood: (place) => void places.push(place),
    moveTo: () => {},
  });
  const click = (text: string) =>
    [...parent.querySelectorAll("button")]
      .find((each) => each.textContent === text)
      ?.dispatchEvent(new DomEvent("click"));
  return { parent, places, click };
}

test("what amends a passage is named, with a link where it is a document", () => {
  const amended_by = [
    { kind: "amends", since: MOMENT, document: "New.md", title: "New fares", part: "Article 4" },
    { kind: "corrects", since: MOMENT, document: "", title: "Gazette 7", part: "" },
  ];
  const hit: Hit = {
    ...PASSAGE,
    text: "A crossing costs 4 crowns.",
    location: { headings: ["Fares", "Adults"] },
    amended_by,
  };
  const { parent, places, click } = shown((element, actions) =>
    showHits(element, { query: { as_of: MOMENT }, hits: [hit] }, "crossings", actions),
  );
  assert.match(parent.textContent!, /^FaresAdults · undated · as it stood/);
  assert.match(parent.textContent!, /Article 4 amended since 1 June 2021 by New fares/);
  assert.match(parent.textContent!, /corrected since 1 June 2021 by Gazette 7$/);
  assert.equal(parent.querySelector("mark")?.textContent, "crossing");
  click("New fares");
  assert.deepEqual(places, [{ document: "New.md", as_of: MOMENT, text: "", headings: [] }]);
});

const citation = (n: number, quote: string, emphasis: [number, number] | null): Citation => ({
  ...PASSAGE,
  n,
  quote,
  emphasis,
  headings: [],
});
const ANSWER: Answer = {
  question: "",
  answer: "",
  refused: false,
  reason: "",
  mode: "local",
  as_of: MOMENT,
  citations: [],
  notes: [],
  by: "extractive",
};

test("the emphasis of a quote counts characters, not UTF-16 units", () => {
  const citations = [citation(1, "🚢🚢 It costs 4 crowns. Dogs pay.", [3, 21])];
  const { parent, places, click } = shown((element, actions) =>
    showAnswer(element, { ...ANSWER, citations }, actions),
  );
  assert.equal(parent.querySelector("strong")?.textContent, "It costs 4 crowns.");
  click("Fares");
  assert.equal(places[0]?.text, "It costs 4 crowns.");
});

test("numbers of a written answer open what they cite, others stay text", () => {
  const answer = {
    ...ANSWER,
    by: "a-model",
    answer: "It costs 4 crowns [1], not five [7].",
    citations: [citation(1, "A crossing costs 4 crowns.", null)],
    notes: ["2 were left out"],
  };
  const { parent, places, click } = shown((element, actions) => showAnswer(element, answer, actions));
  assert.match(
    parent.textContent!,
    /It costs 4 crowns \[1\], not five \[7\]\.A crossing.*2 were left out.*written by a-model$/,
  );
  click("[1]");
  assert.equal(click("[7]"), undefined);
  assert.equal(places[0]?.text, "A crossing costs 4 crowns.");
});

test("a text that is not whole says so", () => {
  const past = {
    document: "Fares.md",
    title: "",
    published: null,
    as_of: MOMENT,
    text: "🚢 sails",
    characters: 120_000,
    versions: [],
  };
  const modal = new PastNote(
    new App(".") as never,
    past,
    { document: "Fares.md", as_of: MOMENT, text: "", headings: [] },
    "",
  );
  modal.onOpen();
  assert.match(modal.contentEl.textContent!, /The first 7 of 120,000 characters\./);
});

test("a date is shown in its own words, an instant by its day", () => {
  assert.equal(inWords({ text: "spring 2021" }), "spring 2021");
  assert.equal(inWords({ text: "2026-11-30T22:30:37.704555Z" }), "2026-11-30");
  assert.equal(inWords(null), "undated");
});

test("years later is the same day, or the last of February", () => {
  assert.equal(yearsLater("2020-02-29", 1), "2021-02-28");
  assert.equal(yearsLater("2020-02-29", -4), "2016-02-29");
  assert.equal(yearsLater("2019-06-01", 2), "2021-06-01");
});
