// usage: node bundle.mjs NPM_FOLDER ASSETS PAGE
//
// Joins the page's modules, the chart libraries and the style sheets into one HTML file, in which heddle report puts data.
import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [npm, assets, page] = process.argv.slice(2).map((path) => resolve(path));
const modules = join(npm, "node_modules");
const esbuild = createRequire(join(modules, "package.json"))("esbuild");

const version = (name) => JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version;
const versions = ["vega", "vega-lite", "vega-embed", "uplot"].map((name) => `${name} ${version(name)}`).join(", ");

const bundled = await esbuild.build({
  entryPoints: [join(assets, "js", "main.js")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  nodePaths: [modules],
  define: { VERSIONS: JSON.stringify(versions) },
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});
const script = bundled.outputFiles[0].text;
if (/<\/script/i.test(script)) throw new Error("the script would end its element");
const read = (path) => readFileSync(path, "utf8");

// The licences of all packages that are in it ask for their texts.
function licences() {
  const packages = new Set(
    Object.keys(bundled.metafile.inputs)
      .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
      .filter(Boolean),
  );
  const texts = new Map();
  for (const name of [...packages].sort()) {
    const file = readdirSync(join(modules, name)).find((each) => /^licen[sc]e/i.test(each));
    if (!file) throw new Error(`${name} has no text of its licence`);
    const text = read(join(modules, name, file))
      .trim()
      .replaceAll("--", "- -");
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version(name)}`]);
  }
  return [...texts].map(([text, names]) => `${names.join(", ")}:\n\n${text}`).join("\n\n----\n\n".replaceAll("--", "=="));
}

const style = await esbuild.transform(read(join(modules, "uplot/dist/uPlot.min.css")) + read(join(assets, "page.css")), {
  loader: "css",
  minify: true,
});

// As functions: a replacement text would have its $ read.
const html = read(join(assets, "page.html"))
  .replace("@css@", () => style.code)
  .replace("@js@", () => script)
  .replace("@licences@", () => licences());
writeFileSync(`${page}.tmp`, html);
renameSync(`${page}.tmp`, page);
