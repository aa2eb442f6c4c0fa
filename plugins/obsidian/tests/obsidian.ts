// Takes the place of Obsidian in tests: a vault that is a folder, a DOM, and HTTP as requestUrl does it.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseHTML } from "linkedom";

// -- the DOM, with what Obsidian adds to it ----------------------------------------------------------

interface Info {
  cls?: string;
  text?: string;
  type?: string;
  placeholder?: string;
  attr?: Record<string, string | number>;
}

const {
  document,
  Node,
  HTMLElement,
  Event: DomEvent,
} = parseHTML("<!doctype html><html><body></body></html>");
export { DomEvent };

const added = {
  createEl(this: Node, tag: string, info: Info = {}) {
    const made = document.createElement(tag);
    if (info.cls) made.className = info.cls;
    if (info.text !== undefined) made.textContent = info.text;
    const { type, placeholder, attr } = info;
    const attributes = { ...(type && { type }), ...(placeholder && { placeholder }), ...attr };
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    this.appendChild(made);
    return made;
  },
  createDiv(this: Node, info?: Info) {
    return added.createEl.call(this, "div", info);
  },
  appendText(this: Node, text: string) {
    this.appendChild(document.createTextNode(text));
  },
  empty(this: Node) {
    while (this.firstChild) this.removeChild(this.firstChild);
  },
};
Object.assign(Node.prototype, added);
Object.assign(HTMLElement.prototype, {
  setText(this: HTMLElement, text: string) {
    this.textContent = text;
  },
  addClass(this: HTMLElement, name: string) {
    this.classList.add(name);
  },
  scrollIntoView() {},
  focus(this: HTMLElement) {
    seen.focused = this;
  },
  select() {},
});
Object.assign(globalThis, {
  document,
  createDiv: (info?: Info) =>
    added.createEl.call(document.createDocumentFragment() as unknown as Node, "div", info),
});

/** What the user saw of Obsidian itself. */
export const seen = {
  notices: [] as string[],
  modals: [] as Modal[],
  opened: [] as Opened[],
  focused: null as HTMLElement | null,
};

export interface Opened {
  path: string;
  line: number | undefined;
  pane: unknown;
}

// -- a vault -----------------------------------------------------------------------------------------

export class TFile {
  readonly extension: string;
  readonly basename: string;
  constructor(readonly path: string) {
    this.extension = path.split(".").at(-1) ?? "";
    this.basename =
      path
        .split("/")
        .at(-1)
        ?.replace(/\.[^.]*$/, "") ?? "";
  }
}

/** An app whose vault is a folder of the disk. */
export class App {
  active: TFile | null = null;
  secrets = new Map<string, string>();
  private kept = new Map<string, string>();

  constructor(private readonly folder: string) {}

  vault = {
    getFiles: () =>
      readdirSync(this.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => new TFile(path.posix.join(path.relative(this.folder, entry.parentPath), entry.name))),
    getFileByPath: (wanted: string) => this.vault.getFiles().find((file) => file.path === wanted) ?? null,
    cachedRead: async (file: TFile) => readFileSync(path.join(this.folder, file.path), "utf8"),
  };

  metadataCache = {
    getFileCache: (file: TFile) => {
      const lines = readFileSync(path.join(this.folder, file.path), "utf8").split("\n");
      const headings = lines.flatMap((text, line) =>
        /^#+ /.test(text) ? [{ heading: text.replace(/^#+ /, ""), position: { start: { line } } }] : [],
      );
      return { headings };
    },
  };

  workspace = {
    getActiveFile: () => this.active,
    getLeaf: (pane: unknown) => ({
      openFile: async (file: TFile, state: { eState: { line?: number } }) =>
        void seen.opened.push({ path: file.path, line: state.eState.line, pane }),
    }),
    openLinkText: async (link: string, _: string, pane: unknown) =>
      void seen.opened.push({ path: link, line: undefined, pane }),
    ensureSideLeaf: async (type: string) => {
      const view = this.views.get(type)?.({ app: this });
      await view?.onOpen();
      return { view, loadIfDeferred: async () => {} };
    },
  };
  views = new Map<string, (leaf: { app: App }) => ItemView>();

  secretStorage = { getSecret: (name: string) => this.secrets.get(name) ?? null };
  loadLocalStorage = (key: string) => JSON.parse(this.kept.get(key) ?? "null") as unknown;
  saveLocalStorage = (key: string, value: unknown) => void this.kept.set(key, JSON.stringify(value));
}

// -- what the plugin extends -------------------------------------------------------------------------

class Component {
  registerDomEvent(target: HTMLElement, name: string, listener: (event: Event) => void) {
    target.addEventListener(name, listener);
  }
}

export class ItemView extends Component {
  app: App;
  icon = "";
  contentEl = document.createElement("div") as unknown as HTMLElement;
  constructor(leaf: { app: App }) {
    super();
    this.app = leaf.app;
  }
  async onOpen() {}
}

export class Modal {
  titleEl = document.createElement("div") as unknown as HTMLElement;
  contentEl = document.createElement("div") as unknown as HTMLElement;
  constructor(readonly app: App) {}
  onOpen() {}
  open() {
    seen.modals.push(this);
    this.onOpen();
  }
}

export class Notice {
  constructor(text: string) {
    seen.notices.push(text);
  }
}

export interface Command {
  id: string;
  callback?: () => unknown;
  checkCallback?: (checking: boolean) => boolean;
  editorCheckCallback?: (checking: boolean, editor: { getSelection(): string }) => boolean;
}

export class Plugin extends Component {
  commands = new Map<string, Command>();
  tab: PluginSettingTab | null = null;
  constructor(
    readonly app: App,
    readonly manifest: unknown,
  ) {
    super();
  }
  addCommand = (command: Command) => void this.commands.set(command.id, command);
  addRibbonIcon() {}
  addSettingTab = (tab: PluginSettingTab) => void (this.tab = tab);
  registerView = (type: string, make: (leaf: { app: App }) => ItemView) =>
    void this.app.views.set(type, make);
}

export class PluginSettingTab {
  containerEl = document.createElement("div") as unknown as HTMLElement;
  fields = new Map<string, Field>();
  constructor(
    readonly app: App,
    readonly plugin: Plugin,
  ) {
    Setting.tab = this;
  }
}

/** A field or a button of the settings: `set` is what a user does. */
class Field {
  value = "";
  set: (value: string) => unknown = () => {};
  setPlaceholder = () => this;
  setButtonText = () => this;
  setValue = (value: string) => ((this.value = value), this);
  onChange = (does: (value: string) => unknown) => ((this.set = does), this);
  onClick = (does: () => unknown) => ((this.set = does), this);
}

export class SecretComponent extends Field {
  constructor(
    readonly app: App,
    readonly parent: HTMLElement,
  ) {
    super();
  }
}

export class Setting {
  static tab: PluginSettingTab;
  private name = "";
  constructor(private readonly parent: HTMLElement) {}
  setName = (name: string) => ((this.name = name), this);
  setDesc = () => this;
  addText = (fill: (field: Field) => Field) => this.keep(fill(new Field()));
  addButton = (fill: (field: Field) => Field) => this.keep(fill(new Field()));
  addComponent = (make: (parent: HTMLElement) => Field) => this.keep(make(this.parent));
  private keep(field: Field) {
    Setting.tab.fields.set(this.name, field);
    return this;
  }
}

export const Keymap = {
  isModEvent: (event: { ctrlKey?: boolean } | null) => (event?.ctrlKey ? "tab" : false),
};

export function debounce(does: () => unknown, wait: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const debounced = () => {
    clearTimeout(timer);
    timer = setTimeout(does, wait);
  };
  return Object.assign(debounced, { cancel: () => clearTimeout(timer) });
}

// -- HTTP --------------------------------------------------------------------------------------------

export async function requestUrl({ url, headers }: { url: string; headers: Record<string, string> }) {
  const reply = await fetch(url, { headers }).catch(() => {
    throw new Error("net::ERR_CONNECTION_REFUSED");
  });
  return { status: reply.status, text: await reply.text() };
}
