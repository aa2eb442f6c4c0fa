// What this device knows of the server, and the tab where it is set.

import { Notice, type Plugin, PluginSettingTab, SecretComponent, Setting, type App } from "obsidian";
import { ask, Refused, type Access } from "./client.ts";
import { likeliestFolders, type Folders } from "./places.ts";
import type { DocumentPage } from "./replies.ts";

const STORED = "asof-settings";
const ADDRESS = "http://127.0.0.1:8421";
const PAGE = 1000;
const MOST_PAGES = 20;

/** Settings as they are kept; `secret`: the name of the key in Obsidian's secret storage. */
interface Stored {
  address: string;
  secret: string;
  inIndex: string;
  inVault: string;
}

/**
 * The settings. They are kept on this device, not among the files of the vault, which are synced: a vault
 * that comes from somebody else cannot send the key and the questions to a server of theirs.
 */
export class Settings {
  private found: Promise<Folders> | null = null;

  constructor(private readonly app: App) {}

  get stored(): Stored {
    const kept = this.app.loadLocalStorage(STORED) as Partial<Record<keyof Stored, unknown>> | null;
    const text = (key: keyof Stored, otherwise = "") =>
      typeof kept?.[key] === "string" && kept[key] ? String(kept[key]) : otherwise;
    return {
      address: text("address", ADDRESS),
      secret: text("secret"),
      inIndex: text("inIndex"),
      inVault: text("inVault"),
    };
  }

  change(changed: Partial<Stored>): void {
    this.app.saveLocalStorage(STORED, { ...this.stored, ...changed });
    this.found = null;
  }

  /** The server and its key. Raises Refused where the key is not on this device. */
  access(): Access {
    const { address, secret } = this.stored;
    const key = secret ? this.app.secretStorage.getSecret(secret) : "";
    if (key === null)
      throw new Refused(
        `There is no secret “${secret}” on this device: choose the key in the settings of asof.`,
      );
    return { address, key };
  }

  /** How ids of the index are paths of the vault: as it is set, else as most of them are. Raises Refused. */
  async folders(): Promise<Folders> {
    const { inIndex, inVault } = this.stored;
    if (inIndex || inVault) return { inIndex, inVault };
    this.found ??= this.find();
    return this.found.catch((error: unknown) => {
      this.found = null; // the next one may find them
      throw error;
    });
  }

  private async find(): Promise<Folders> {
    const ids: string[] = [];
    let after: string | null = "";
    for (let page = 0; page < MOST_PAGES && after !== null; page++) {
      const reply: DocumentPage = await ask(this.access(), "documents", { k: PAGE, after });
      ids.push(...reply.documents.map((each) => each.document));
      after = reply.next;
    }
    const found = likeliestFolders(
      ids,
      this.app.vault.getFiles().map((file) => file.path),
    );
    if (!found)
      throw new Refused(
        "The index of this server does not hold the notes of this vault. Index their folder (asof index)," +
          " or set the folders in the settings of asof.",
      );
    return found;
  }
}

/** "/a/b/" and "a/b" are the same folder. */
const trimmed = (folder: string): string => folder.trim().replace(/^\/+|\/+$/g, "");

export class SettingsTab extends PluginSettingTab {
  constructor(
    app: App,
    plugin: Plugin,
    private readonly settings: Settings,
  ) {
    super(app, plugin);
  }

  override display(): void {
    const { containerEl, settings } = this;
    containerEl.empty();
    containerEl.createEl("p", {
      text: "These settings are kept on this device. They are not synced with the vault.",
    });
    this.text("Address", "Of asof serve.", ADDRESS, settings.stored.address, (value) =>
      settings.change({ address: value.trim() }),
    );
    new Setting(containerEl)
      .setName("Key")
      .setDesc("Only where the server needs one: asof key add obsidian")
      .addComponent((parent) =>
        new SecretComponent(this.app, parent)
          .setValue(settings.stored.secret)
          .onChange((secret) => settings.change({ secret })),
      );
    const found = "found by itself";
    this.text(
      "Folder in the index",
      "What the ids of notes begin with, if the vault lies in the folder that was indexed: notes",
      found,
      settings.stored.inIndex,
      (value) => settings.change({ inIndex: trimmed(value) }),
    );
    this.text(
      "Folder in the vault",
      "The folder that was indexed, if it is only a part of the vault: work/projects",
      found,
      settings.stored.inVault,
      (value) => settings.change({ inVault: trimmed(value) }),
    );
    new Setting(containerEl)
      .setName("Check")
      .setDesc("Ask the server for its documents, and look for them in the vault.")
      .addButton((button) => button.setButtonText("Check").onClick(() => this.check()));
  }

  private text(
    name: string,
    about: string,
    placeholder: string,
    value: string,
    change: (value: string) => void,
  ): void {
    new Setting(this.containerEl)
      .setName(name)
      .setDesc(about)
      .addText((field) => field.setPlaceholder(placeholder).setValue(value).onChange(change));
  }

  private async check(): Promise<void> {
    try {
      const { documents } = await ask(this.settings.access(), "documents", { k: 1 });
      const { inIndex, inVault } = await this.settings.folders();
      const first = documents[0]?.document ?? "none";
      new Notice(
        `asof serve answers. “${inIndex}/” in the index is “${inVault}/” in the vault.` +
          ` First document: ${first}`,
      );
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      new Notice(error.message, 0);
    }
  }
}
