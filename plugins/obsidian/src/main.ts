// The plugin: the pane, its commands and its settings.

import { type Editor, type MarkdownFileInfo, type MarkdownView, Plugin } from "obsidian";
import { Settings, SettingsTab } from "./settings.ts";
import { AsofView, VIEW } from "./view.ts";

export default class AsofPlugin extends Plugin {
  override async onload(): Promise<void> {
    const settings = new Settings(this.app);
    this.registerView(VIEW, (leaf) => new AsofView(leaf, settings));
    this.addSettingTab(new SettingsTab(this.app, this, settings));
    this.addRibbonIcon("history", "Search as of a date", () => void this.pane().then((pane) => pane.focus()));
    this.addCommand({
      id: "search",
      name: "Search as of a date",
      callback: async () => (await this.pane()).focus(),
    });
    this.addCommand({
      id: "ask-selection",
      name: "Ask about the selection",
      editorCheckCallback: (checking: boolean, editor: Editor, _: MarkdownView | MarkdownFileInfo) => {
        const question = editor.getSelection().trim();
        if (question && !checking) void this.pane().then((pane) => pane.askFor(question));
        return question !== "";
      },
    });
    this.addNoteCommand("date-of-note", "Search as of the date of this note", (pane, path) => {
      pane.focus();
      return pane.moveToNote(path);
    });
    this.addNoteCommand("stale", "Find what is no longer so in this note", (pane, path) =>
      pane.showStaleOf(path),
    );
  }

  /** A command on the note that is open. */
  private addNoteCommand(
    id: string,
    name: string,
    run: (pane: AsofView, path: string) => Promise<void>,
  ): void {
    this.addCommand({
      id,
      name,
      checkCallback: (checking) => {
        const file = this.app.workspace.getActiveFile();
        if (file && !checking) void this.pane().then((pane) => run(pane, file.path));
        return file !== null;
      },
    });
  }

  /** The pane, opened at the right side where it is not open yet. */
  private async pane(): Promise<AsofView> {
    const leaf = await this.app.workspace.ensureSideLeaf(VIEW, "right", { active: true, reveal: true });
    await leaf.loadIfDeferred();
    return leaf.view as AsofView;
  }
}
