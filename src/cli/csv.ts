import type { Cell } from "./table.ts";

/** Rows as in RFC 4180, under their names. Lines end as on this system's terminal. */
export function renderCsv(names: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const lines = [names.map(quoted).join(",")];
  for (const row of rows) lines.push(row.map((cell) => quoted(cell == null ? "" : String(cell))).join(","));
  return lines.join("\n");
}

/** The fields of an answer as one row. An answer with a single object is that object; what lies deeper is JSON. */
export function renderAnswerAsCsv(answer: unknown): string {
  const fields = Object.entries(soleObject(answer));
  const cells = fields.map(([, value]) => (typeof value === "object" ? JSON.stringify(value) : String(value)));
  return renderCsv(
    fields.map(([name]) => name),
    [cells.map((cell) => (cell === "null" ? "" : cell))],
  );
}

function soleObject(answer: unknown): object {
  if (typeof answer !== "object" || answer === null) return { value: answer };
  const [only, ...others] = Object.values(answer);
  return others.length === 0 && typeof only === "object" && only !== null && !Array.isArray(only) ? only : answer;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
