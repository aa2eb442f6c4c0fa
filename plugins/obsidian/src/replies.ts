// What is read of the replies of `asof serve`: docs/reference/json.md lists all of their keys.

/** A time as a source states it; `from` and `until` are instants (ISO 8601), null is open. */
export interface SourcedTime {
  from: string | null;
  until: string | null;
  text: string;
  by: string;
}

export interface Superseded {
  visible: string;
  document: string;
  title: string;
}

export interface Amendment {
  kind: string;
  since: string;
  document: string;
  title: string;
  part: string;
}

/** What hits and citations share: a passage, and what became of it. */
export interface Passage {
  document: string;
  title: string;
  published: SourcedTime | null;
  superseded_by: Superseded | null;
  in_force: SourcedTime | null;
  amended_by: Amendment[];
}

export interface Hit extends Passage {
  text: string;
  location: { headings: string[] };
}

export interface Found {
  query: { as_of: string };
  hits: Hit[];
}

export interface Citation extends Passage {
  n: number;
  quote: string;
  emphasis: [number, number] | null;
  headings: string[];
}

export interface Answer {
  question: string;
  answer: string;
  refused: boolean;
  reason: string;
  mode: "local" | "global";
  as_of: string;
  citations: Citation[];
  notes: string[];
  by: string;
}

/** A document as it stood. */
export interface PastDocument {
  document: string;
  title: string;
  published: SourcedTime | null;
  as_of: string;
  text: string;
  characters: number;
  versions: { visible: string; published: SourcedTime | null }[];
}

export interface DocumentPage {
  documents: { document: string }[];
  next: string | null;
}

/** A sentence of a note that is no longer true. */
export interface Stale {
  since: string;
  change: string;
  why: string;
  document: string;
  title: string;
  quote: string;
  by: { document: string; title: string; quote: string } | null;
}

export interface StaleFound {
  as_of: string;
  stale: Stale[];
  more: number;
}

/** The reply of each verb. */
export interface Replies {
  search: Found;
  ask: Answer;
  document: PastDocument;
  documents: DocumentPage;
  stale: StaleFound;
}
