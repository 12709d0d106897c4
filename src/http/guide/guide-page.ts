import { renderMarkdown } from "#http/guide/render-markdown.ts";
import { escapeHtml } from "#http/page/html-answer.ts";
import { PAGE_MARK, PAGE_STYLE } from "#http/page/page-style.ts";

/** The documentation as it lies in the folder `docs`. */
export interface GuideSource {
  /** The Markdown of a page by its name, such as `concepts`; undefined when there is none. */
  readonly page: (name: string) => string | undefined;
  /** A picture as a `data:` address. */
  readonly picture: (name: string) => string | undefined;
}

/** The page that lists all others. */
export const INDEX = "README";

/** `base` leads from the address of the page to the folder of all pages. */
export function renderGuidePage(source: GuideSource, name: string, base: string): string | undefined {
  const text = source.page(name);
  if (text === undefined) return undefined;
  const href = (target: string): string | undefined => {
    if (/^https?:/.test(target)) return target;
    const [path = "", fragment] = target.split("#");
    const behind = fragment === undefined ? "" : `#${fragment}`;
    if (path === "") return behind;
    const page = /([\w.-]+)\.md$/.exec(path)?.[1];
    return page === undefined || page === page.toUpperCase() || source.page(page) === undefined
      ? undefined
      : `${base}${page}${behind}`;
  };
  const links = { href, image: (target: string) => source.picture(target.split("/").at(-1) ?? "") };
  const title = /^# (.+)$/m.exec(text)?.[1] ?? "Guide";
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
<header>${PAGE_MARK}<p class="title"><a href="${base === "" ? "../guide" : "guide"}">Busbar guide</a></p><p class="muted small"><a href="${base === "" ? "../../docs" : "docs"}">API reference</a></p></header>
<div class="reference">
<nav aria-label="Contents">${renderContents(source, { name, href })}</nav>
<article class="card">
${renderMarkdown(text, links)}
</article>
</div>
</main>
</body>
</html>
`;
}

interface Place {
  readonly name: string;
  readonly href: (target: string) => string | undefined;
}

/** The chapters of the index and the pages that they list. */
function renderContents(source: GuideSource, { name, href }: Place): string {
  const chapters = (source.page(INDEX) ?? "").split(/^## /m).slice(1);
  return chapters
    .map((chapter) => {
      const [title = ""] = chapter.split("\n", 1);
      const pages = [...chapter.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)].flatMap(([, label = "", target = ""]) => {
        const address = href(target);
        const isHere = target.endsWith(`/${name}.md`) || target === `${name}.md`;
        return address === undefined
          ? []
          : [`<li><a href="${address}"${isHere ? ' aria-current="page"' : ""}>${escapeHtml(label)}</a></li>`];
      });
      return `<h2>${escapeHtml(title)}</h2><ul>${pages.join("")}</ul>`;
    })
    .join("");
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
article img{display:block;max-width:100%;height:auto;margin:8px 0 16px}
article table{font-size:13.5px;line-height:20px;margin:0 0 16px}
article td code,article p code,article li code{background:var(--bg);border-radius:4px;padding:1px 4px;overflow-wrap:anywhere}
figure{margin:0 0 16px}
figure pre{margin:0}
figcaption{color:var(--muted);font-size:12.5px;margin:0 0 4px}
blockquote{margin:0 0 12px;padding-left:12px;border-left:3px solid var(--line);color:var(--muted)}
@media(min-width:900px){nav{max-height:calc(100vh - 48px);overflow-y:auto}nav a{min-height:30px}}
`;
