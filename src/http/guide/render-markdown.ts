// The Markdown of our own pages as HTML: headings, paragraphs, lists, tables, code, quotes, links and pictures. Everything
// else is text, and HTML in a page is shown as it is written.
import { escapeHtml } from "#http/page/html-answer.ts";

export interface MarkdownLinks {
  /** The address of a link's target; undefined when the target is not served, and only the text is shown. */
  readonly href: (target: string) => string | undefined;
  /** The address of a picture. */
  readonly image: (target: string) => string | undefined;
}

type Lines = readonly string[];

const FENCE = /^```(.*)$/;
const HEADING = /^(#{1,4}) (.+)$/;
const ITEM = /^(\s*)(?:[-*]|(\d+)\.) (.*)$/;
const ROW = /^\|(.*)\|\s*$/;
const INDENTED = /^ {4}/;

export function renderMarkdown(text: string, links: MarkdownLinks): string {
  return renderBlocks(text.split("\n"), links);
}

function renderBlocks(lines: Lines, links: MarkdownLinks): string {
  const parts: string[] = [];
  const inline = (text: string) => renderInline(text, links);
  /** The lines from `at` on, as long as they fit. */
  const run = (at: number, fits: (line: string) => boolean) => {
    let end = at;
    while (end < lines.length && fits(lines[end] ?? "")) end += 1;
    return lines.slice(at, end);
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const heading = HEADING.exec(line);
    const fence = FENCE.exec(line);
    if (line.trim() === "") at += 1;
    else if (fence !== null) {
      const code = run(at + 1, (one) => !one.startsWith("```"));
      parts.push(renderCode(fence[1] ?? "", code));
      at += code.length + 2;
    } else if (heading !== null) {
      const level = heading[1]?.length ?? 1;
      const title = heading[2] ?? "";
      parts.push(`<h${level} id="${fragmentOf(title)}">${inline(title)}</h${level}>`);
      at += 1;
    } else if (ROW.test(line)) {
      const rows = run(at, (one) => ROW.test(one));
      parts.push(renderTable(rows, inline));
      at += rows.length;
    } else if (ITEM.test(line)) {
      // An item goes on over indented lines, and over empty ones that such lines or items follow.
      const list = run(at, (one) => one.trim() === "" || ITEM.test(one) || /^\s+\S/.test(one));
      parts.push(renderList(list, links));
      at += list.length;
    } else if (INDENTED.test(line)) {
      const code = run(at, (one) => INDENTED.test(one));
      parts.push(
        renderCode(
          "",
          code.map((one) => one.slice(4)),
        ),
      );
      at += code.length;
    } else if (line.startsWith(">")) {
      const quote = run(at, (one) => one.startsWith(">"));
      parts.push(
        `<blockquote>${renderBlocks(
          quote.map((one) => one.replace(/^> ?/, "")),
          links,
        )}</blockquote>`,
      );
      at += quote.length;
    } else {
      const paragraph = run(at, (one) => one.trim() !== "" && !FENCE.test(one) && !ROW.test(one) && !ITEM.test(one));
      parts.push(`<p>${inline(paragraph.join("\n"))}</p>`);
      at += paragraph.length;
    }
  }
  return parts.join("\n");
}

/** The name of a file that the block is goes above it. */
function renderCode(info: string, lines: Lines): string {
  const file = /\bfile=(\S+)/.exec(info)?.[1];
  const caption = file === undefined ? "" : `<figcaption><code>${escapeHtml(file)}</code></figcaption>`;
  return `<figure>${caption}<pre tabindex="0"><code>${escapeHtml(lines.join("\n"))}</code></pre></figure>`;
}

function renderTable(rows: Lines, inline: (text: string) => string): string {
  const [head = "", , ...body] = rows;
  const cellsOf = (row: string) =>
    (ROW.exec(row)?.[1] ?? "").split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replaceAll("\\|", "|")));
  const renderRow = (row: string) =>
    `<tr>${cellsOf(row)
      .map((cell) => `<td>${cell}</td>`)
      .join("")}</tr>`;
  const heads = cellsOf(head).map((cell) => `<th scope="col">${cell}</th>`);
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads.join("")}</tr></thead><tbody>${body.map(renderRow).join("")}</tbody></table></div>`;
}

function renderList(lines: Lines, links: MarkdownLinks): string {
  const first = ITEM.exec(lines[0] ?? "");
  const depth = first?.[1]?.length ?? 0;
  const items: string[][] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item !== null && (item[1]?.length ?? 0) <= depth) items.push([item[3] ?? ""]);
    else items.at(-1)?.push(line);
  }
  const tag = first?.[2] === undefined ? "ul" : "ol";
  return `<${tag}>${items.map((item) => `<li>${renderItem(item, links)}</li>`).join("")}</${tag}>`;
}

/** What stands deeper in an item are blocks of its own; an item of one paragraph has no `<p>`. */
function renderItem(lines: Lines, links: MarkdownLinks): string {
  const indents = lines.slice(1).flatMap((line) => (line.trim() === "" ? [] : [/^\s*/.exec(line)?.[0].length ?? 0]));
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  const html = renderBlocks([lines[0] ?? "", ...lines.slice(1).map((line) => line.slice(indent))], links);
  const only = /^<p>((?:(?!<p>)[\s\S])*)<\/p>$/.exec(html);
  return only?.[1] ?? html;
}

const INLINE =
  /(`+)([\s\S]+?)\1|!\[([^\]]*)\]\(([^)\s]+)\)|\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)|<(https?:[^>\s]+)>|\*\*([\s\S]+?)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g;

function renderInline(text: string, links: MarkdownLinks): string {
  let html = "";
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(end, match.index));
    html += renderSpan(match, links);
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}

function renderSpan(match: RegExpExecArray, links: MarkdownLinks): string {
  const [, , code, alt, picture, label, target, address, bold, italic] = match;
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`;
  if (picture !== undefined) {
    const source = links.image(picture);
    return source === undefined
      ? escapeHtml(alt ?? "")
      : `<img src="${escapeHtml(source)}" alt="${escapeHtml(alt ?? "")}">`;
  }
  if (target !== undefined) {
    const href = links.href(target);
    const inner = renderInline(label ?? "", links);
    return href === undefined ? inner : `<a href="${escapeHtml(href)}">${inner}</a>`;
  }
  if (address !== undefined) return `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`;
  return bold === undefined
    ? `<em>${renderInline(italic ?? "", links)}</em>`
    : `<strong>${renderInline(bold, links)}</strong>`;
}

/** The fragment that a heading has wherever Markdown is shown. */
function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}
