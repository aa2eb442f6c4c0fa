// Builds the plugin into dist/; with "tests" its tests into out/, on tests/obsidian.ts in place of Obsidian.

import { copyFile, readdir, rm } from "node:fs/promises";
import { build } from "esbuild";

const shared = { bundle: true, charset: "utf8", logLevel: "warning" };

async function plugin() {
  await rm("dist", { recursive: true, force: true });
  await build({
    ...shared,
    entryPoints: ["src/main.ts"],
    outfile: "dist/main.js",
    external: ["obsidian"],
    format: "cjs",
    target: "es2022",
  });
  for (const file of ["manifest.json", "styles.css"]) await copyFile(file, `dist/${file}`);
}

async function tests() {
  await rm("out", { recursive: true, force: true });
  const entryPoints = (await readdir("tests"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `tests/${name}`);
  await build({
    ...shared,
    entryPoints,
    outdir: "out",
    outExtension: { ".js": ".mjs" },
    alias: { obsidian: "./tests/obsidian.ts" },
    format: "esm",
    platform: "node",
    packages: "external",
    sourcemap: "inline",
  });
}

await (process.argv[2] === "tests" ? tests() : plugin());
