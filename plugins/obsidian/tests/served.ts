// The example notes in a folder, with notes that a test writes, and a real `asof serve` of their index.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import path from "node:path";

const PYTHON = process.env["ASOF_PYTHON"] ?? "python3";
const NOTES = path.resolve("../../src/asof/example/notes");

export class Served {
  readonly root = mkdtempSync(path.join(tmpdir(), "asof-obsidian-"));
  readonly vault = path.join(this.root, "notes");
  private readonly servers: ChildProcess[] = [];

  constructor() {
    cpSync(NOTES, this.vault, { recursive: true });
  }

  write(note: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.vault, note)), { recursive: true });
    writeFileSync(path.join(this.vault, note), text);
  }

  asof(...words: string[]): string {
    return execFileSync(PYTHON, ["-m", "asof", ...words], {
      cwd: this.root,
      env: this.environment(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Serve the index; the address. */
  async serve(...options: string[]): Promise<string> {
    const words = ["-m", "asof", "serve", "--port", "0", "--quiet", ...options];
    const server = spawn(PYTHON, words, {
      cwd: this.root,
      env: this.environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.servers.push(server);
    for await (const line of createInterface({ input: server.stdout })) return line.split(" ")[0] ?? "";
    throw new Error("asof serve has printed no address");
  }

  async end(): Promise<void> {
    for (const server of this.servers.filter((each) => each.exitCode === null)) {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await ended;
    }
    rmSync(this.root, { recursive: true });
  }

  private environment(): NodeJS.ProcessEnv {
    return { ...process.env, HOME: this.root };
  }
}
