// Writes docs/dist: the guide as the pages that a running Busbar serves at /docs/guide, rendered from the Markdown of docs.
// `scripts/build-page.mjs` runs it when docs have changed. `node scripts/build-guide.ts` does the same alone, on Node 24.
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked, type RendererObject } from "marked";
import { escapeHtml } from "#http/page/html-answer.ts";
import { PAGE_MARK, PAGE_STYLE } from "#http/page/page-style.ts";

const DOCS = fileURLToPath(new URL("../docs", import.meta.url));
/** The page that lists all others. */
const INDEX = "README";
/** The Markdown of each page. Of two with one name, the first is served. */
const PAGES = new Map(
  ["decisions", ".", "guide"]
    .flatMap((folder) => globSync(join(DOCS, folder, "*.md")))
    .map((path) => [basename(path, ".md"), readFileSync(path, "utf8")]),
);

/**
 * `guide.html` is the index, which links to `guide/NAME`; the others are `guide/NAME.html`. Each page is replaced as a whole, so
 * the guide can be read meanwhile.
 */
export function buildGuide(folder = join(DOCS, "dist")): void {
  mkdirSync(join(folder, "guide"), { recursive: true });
  const fresh = mkdtempSync(join(folder, "fresh-"));
  const put = (path: string, text: string) => {
    writeFileSync(join(fresh, "page"), text);
    renameSync(join(fresh, "page"), join(folder, path));
  };
  put("guide.html", renderPage(INDEX, "guide/"));
  for (const name of PAGES.keys()) put(`guide/${name}.html`, renderPage(name, ""));
  rmSync(fresh, { recursive: true });
  for (const file of readdirSync(join(folder, "guide")))
    if (!PAGES.has(basename(file, ".html"))) rmSync(join(folder, "guide", file), { force: true });
}

/** `base` leads from the address of the page to the folder of all pages. */
function renderPage(name: string, base: string): string {
  const text = PAGES.get(name) ?? "";
  const title = /^# (.+)$/m.exec(text)?.[1] ?? "Guide";
  const [guide, reference] = base === "" ? ["../guide", "../../docs"] : ["guide", "docs"];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - Busbar</title>
<style>${PAGE_STYLE}${GUIDE_STYLE}</style>
</head>
<body>
<main>
<header>${PAGE_MARK}<p class="title"><a href="${guide}">Busbar guide</a></p><p class="muted small"><a href="${reference}">API reference</a></p></header>
<div class="reference">
<nav aria-label="Contents">${renderContents(name, base)}</nav>
<article class="card">
${renderMarkdown(text, base)}
</article>
</div>
</main>
</body>
</html>
`;
}

/** The chapters of the index and the pages that they list. */
function renderContents(name: string, base: string): string {
  const chapters = (PAGES.get(INDEX) ?? "").split(/^## /m).slice(1);
  return chapters
    .map((chapter) => {
      const [title = ""] = chapter.split("\n", 1);
      const pages = [...chapter.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)].flatMap(([, label = "", target = ""]) => {
        const address = addressOf(target, base);
        const here = basename(target, ".md") === name ? ' aria-current="page"' : "";
        return address === undefined ? [] : [`<li><a href="${address}"${here}>${escapeHtml(label)}</a></li>`];
      });
      return `<h2>${escapeHtml(title)}</h2><ul>${pages.join("")}</ul>`;
    })
    .join("");
}

/** Where a link leads; undefined when the target is not served, and only the text is shown. */
function addressOf(target: string, base: string): string | undefined {
  if (/^https?:/.test(target)) return target;
  const [path = "", fragment] = target.split("#");
  const behind = fragment === undefined ? "" : `#${fragment}`;
  if (path === "") return behind;
  const page = /([\w.-]+)\.md$/.exec(path)?.[1];
  const isServed = page !== undefined && page !== page.toUpperCase() && PAGES.has(page);
  return isServed ? `${base}${page}${behind}` : undefined;
}

/** A picture is part of its page, because the page may load nothing. */
function pictureOf(target: string): string {
  const svg = readFileSync(join(DOCS, "img", basename(target)));
  return `data:image/svg+xml;base64,${svg.toString("base64")}`;
}

/** HTML in a text is shown as it is written. */
function renderMarkdown(text: string, base: string): string {
  const renderer: RendererObject = {
    heading({ tokens, depth, text: title }) {
      return `<h${depth} id="${fragmentOf(title)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const address = addressOf(href, base);
      const label = this.parser.parseInline(tokens);
      return address === undefined ? label : `<a href="${escapeHtml(address)}">${label}</a>`;
    },
    image: ({ href, text: alt }) => `<img src="${pictureOf(href)}" alt="${escapeHtml(alt)}">`,
    code({ text: code, lang = "" }) {
      // The name of the file that the block is stands above it.
      const file = /\bfile=(\S+)/.exec(lang)?.[1];
      const caption = file === undefined ? "" : `<figcaption><code>${escapeHtml(file)}</code></figcaption>`;
      return `<figure>${caption}<pre tabindex="0"><code>${escapeHtml(code)}</code></pre></figure>\n`;
    },
    table({ header, rows }) {
      const cells = (tag: string, row: typeof header) =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.slice(0, 2)}>`).join("");
      const body = rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("");
      return `<div class="scroll" tabindex="0"><table><thead><tr>${cells('th scope="col"', header)}</tr></thead><tbody>${body}</tbody></table></div>\n`;
    },
    html: ({ text: html, block }) => (block ? `<p>${escapeHtml(html.trim())}</p>\n` : escapeHtml(html)),
  };
  // A bare address in a text is an example more often than a link.
  return new Marked({ renderer, tokenizer: { url: () => undefined } }).parse(text, { async: false }).trimEnd();
}

/** The fragment that a heading has wherever Markdown is shown. */
function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

const GUIDE_STYLE = `
header .title{flex:1;font-weight:600;margin:0}
header .title a{color:inherit;text-decoration:none}
header p.small{flex:none;margin:0}
nav h2{color:var(--muted);margin:16px 0 4px}
nav h2:first-child{margin-top:0}
nav a[aria-current]{color:var(--accent);font-weight:600}
article.card{padding:24px;font-size:15px;line-height:24px}
article h1{margin:0 0 12px;font-size:26px;line-height:32px}
article h2{font-size:19px;line-height:26px;margin:32px 0 8px}
article h3,article h4{font-size:15px;line-height:22px;color:var(--text);margin:24px 0 8px}
article p,article ul,article ol{max-width:72ch}
article ul,article ol{margin:0 0 12px;padding-left:22px}
article li{margin:4px 0}
article li>p:last-child{margin-bottom:0}
article img{display:block;max-width:100%;height:auto;margin:8px 0 16px}
article table{font-size:13.5px;line-height:20px;margin:0 0 16px}
article td code,article p code,article li code{background:var(--bg);border-radius:4px;padding:1px 4px;overflow-wrap:anywhere}
figure{margin:0 0 16px}
figure pre{margin:0}
figcaption{color:var(--muted);font-size:12.5px;margin:0 0 4px}
blockquote{margin:0 0 12px;padding-left:12px;border-left:3px solid var(--line);color:var(--muted)}
@media(min-width:900px){nav{max-height:calc(100vh - 48px);overflow-y:auto}nav a{min-height:30px}}
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) buildGuide();
