// The API reference for people, drawn from the OpenAPI document alone. No script: it works offline and under the
// strictest content policy.
import { escapeHtml } from "#http/page/html-answer.ts";
import { PAGE_MARK, PAGE_STYLE } from "#http/page/page-style.ts";
import { SAMPLE_SETUP } from "#http/reference/render-samples.ts";

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly spec: Json;
}

export function renderReferencePage(document: Json): string {
  const info = objectIn(document, "info");
  const schemas = objectIn(objectIn(document, "components"), "schemas");
  const operations = operationsOf(objectIn(document, "paths"));
  const tags = [...new Set(operations.map((operation) => tagOf(operation)))];
  const countOf = (tag: string) => operations.filter((operation) => tagOf(operation) === tag).length;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info, "title")} API ${text(info, "version")}</title>
<style>${PAGE_STYLE}${REFERENCE_STYLE}</style>
</head>
<body>
<main>
<header>${PAGE_MARK}<h1>${text(info, "title")} API <span class="muted">${text(info, "version")}</span></h1>
<p class="muted">${text(info, "description")} For programs: <a href="openapi.json">openapi.json</a>. For people: <a href="docs/guide">the guide</a>.</p></header>
<div class="reference">
<nav aria-label="Contents"><ul>${tags.map((tag) => renderEntry(anchor(tag), tag, countOf(tag))).join("")}${renderEntry("schemas", "Schemas", Object.keys(schemas).length)}</ul></nav>
<div class="sections">
${renderSetup(String(headerOf(document)))}
${tags.map((tag) => renderTag(tag, operations)).join("\n")}
<section class="card" id="schemas"><h2>Schemas</h2>
${Object.entries(schemas)
  .map(([name, schema]) => renderSchema(name, schema as Json))
  .join("\n")}
</section>
</div>
</div>
</main>
</body>
</html>
`;
}

/** Which language the samples are in is chosen once for the page, without a script: the style follows the radio buttons. */
function renderSetup(header: string): string {
  const prefix = header.replace(/-Auth-Token$/, "");
  const choices = SAMPLE_SETUP.map(
    ({ lang }, index) =>
      `<label><input type="radio" name="language" id="show-${lang.toLowerCase()}"${index === 0 ? " checked" : ""}>${lang}</label>`,
  );
  const setup = SAMPLE_SETUP.map((one) => renderSample({ ...one, source: one.source.replace("{prefix}", prefix) }));
  return `<section class="card" id="begin"><h2>Examples in</h2><fieldset class="languages"><legend class="hidden">Language of the examples</legend>${choices.join("")}</fieldset>${setup.join("")}</section>`;
}

function renderSample({ lang, source }: { readonly lang: string; readonly source: string }): string {
  return `<div class="sample ${lang.toLowerCase()}"><pre tabindex="0"><code>${escapeHtml(source)}</code></pre></div>`;
}

/** A language without a sample says so. */
function renderOwnSamples(spec: Json): string {
  const samples = (spec["x-codeSamples"] ?? []) as readonly { readonly lang: string; readonly source: string }[];
  if (samples.length === 0) return "";
  const missing = SAMPLE_SETUP.filter(({ lang }) => !samples.some((one) => one.lang === lang)).map(
    ({ lang }) => `<p class="sample ${lang.toLowerCase()} muted small">Programs do not need this operation.</p>`,
  );
  return `<h3>Example</h3>${samples.map(renderSample).join("")}${missing.join("")}`;
}

function headerOf(document: Json): unknown {
  return objectIn(objectIn(objectIn(document, "components"), "securitySchemes"), "token")["name"];
}

const REFERENCE_STYLE = `
.languages{border:0;margin:0 0 12px;padding:0;display:flex;flex-wrap:wrap;gap:8px}
.languages label{display:inline-flex;align-items:center;gap:8px;min-height:36px;padding:0 12px;border:1px solid var(--line);border-radius:8px;cursor:pointer}
.languages label:has(:checked){border-color:var(--accent);color:var(--accent);font-weight:600}
.languages input{accent-color:var(--accent);margin:0}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.sample{display:none}
:root:has(#show-curl:checked) .sample.curl,:root:has(#show-typescript:checked) .sample.typescript,:root:has(#show-python:checked) .sample.python{display:block}
.sample pre{white-space:pre-wrap;overflow-wrap:anywhere}
@media(min-width:1200px){main{max-width:1280px}details[open]>.about{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:24px;align-items:start}.about aside{position:sticky;top:24px}}
`;

function renderEntry(id: string, name: string, count: number): string {
  return `<li><a href="#${id}">${escapeHtml(name)} <b>${count}</b></a></li>`;
}

function renderTag(tag: string, operations: readonly Operation[]): string {
  const inside = operations.filter((operation) => tagOf(operation) === tag).map(renderOperation);
  return `<section class="card" id="${anchor(tag)}"><h2>${escapeHtml(tag)}</h2>${inside.join("\n")}</section>`;
}

function renderOperation({ method, path, spec }: Operation): string {
  const parameters = (spec["parameters"] ?? []) as readonly Json[];
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${text(parameter, "name")}</code></td><td>${text(parameter, "in")}</td><td>${typeText(objectIn(parameter, "schema"))}</td><td>${text(parameter, "description")}</td></tr>`,
  );
  const table = rows.length === 0 ? "" : renderTable(["Parameter", "In", "Type", "Meaning"], rows);
  const body = spec["requestBody"] === undefined ? "" : `<h3>Body</h3>${contentOf(objectIn(spec, "requestBody"))}`;
  const answer = `${contentOf(objectIn(objectIn(spec, "responses"), "200"))}${headersOf(objectIn(objectIn(spec, "responses"), "200"))}`;
  return `<details id="${text(spec, "operationId")}"><summary><span class="method ${escapeHtml(method)}">${escapeHtml(method)}</span> <code>${escapeHtml(path)}</code> <span class="muted small">${text(spec, "summary")}</span></summary>
<div class="about"><div><p>${text(spec, "description")}</p>${table}${body}<h3>Answer 200</h3>${answer}</div><aside>${renderOwnSamples(spec)}</aside></div></details>`;
}

function renderSchema(name: string, schema: Json): string {
  const required = (schema["required"] ?? []) as readonly string[];
  const rows = Object.entries(objectIn(schema, "properties")).map(([field, value]) => {
    const inner = value as Json;
    const must = required.includes(field) ? "yes" : "no";
    return `<tr><td><code>${escapeHtml(field)}</code></td><td>${typeText(inner)}</td><td>${must}</td><td>${text(inner, "description")}</td></tr>`;
  });
  return `<details class="schema" id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${renderTable(["Field", "Type", "Required", "Meaning"], rows)}</details>`;
}

function renderTable(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join("");
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function contentOf(part: Json): string {
  const kinds = Object.entries(objectIn(part, "content")).map(
    ([type, media]) => `<p><code>${escapeHtml(type)}</code> ${typeText(objectIn(media as Json, "schema"))}</p>`,
  );
  return kinds.join("");
}

function headersOf(answer: Json): string {
  const lines = Object.entries(objectIn(answer, "headers")).map(
    ([name, about]) => `<p>Header <code>${escapeHtml(name)}</code>: ${text(about as Json, "description")}</p>`,
  );
  return lines.join("");
}

function typeText(schema: Json): string {
  if (typeof schema["$ref"] === "string") {
    const name = escapeHtml(schema["$ref"].split("/").at(-1) ?? "");
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map((part) => typeText(part as Json)).join(" or ");
  if (Array.isArray(schema["enum"]))
    return schema["enum"].map((word) => `<code>${escapeHtml(String(word))}</code>`).join(" ");
  if (schema["type"] === "array") return `array of ${typeText(objectIn(schema, "items"))}`;
  if (schema["type"] === "object" && schema["properties"] !== undefined) {
    const fields = Object.entries(objectIn(schema, "properties"));
    return `{ ${fields.map(([name, value]) => `<code>${escapeHtml(name)}</code>: ${typeText(value as Json)}`).join(", ")} }`;
  }
  const format = typeof schema["format"] === "string" ? ` (${escapeHtml(schema["format"])})` : "";
  return typeof schema["type"] === "string" ? `${escapeHtml(schema["type"])}${format}` : "";
}

function operationsOf(paths: Json): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, spec]) => ({ method: method.toUpperCase(), path, spec: spec as Json })),
  );
}

function tagOf({ spec }: Operation): string {
  return String((spec["tags"] as readonly unknown[])[0]);
}

function anchor(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(/\W+/g, "-")}`;
}

function objectIn(holder: Json, key: string): Json {
  const value = holder[key];
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function text(holder: Json, key: string): string {
  const value = holder[key];
  return value === undefined ? "" : escapeHtml(String(value));
}
