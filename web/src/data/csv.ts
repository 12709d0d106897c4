/**
 * A table as CSV by RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe before it: devices and
 * people who are not trusted wrote some of these texts.
 */
export function renderCsv(
  header: readonly string[],
  rows: Iterable<readonly (string | number | boolean | undefined)[]>,
): string {
  const lines = [header.map(cell).join(",")];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function cell(value: string | number | boolean | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Gives a file to the browser's downloads. */
export function saveFile(name: string, content: string | BlobPart[], type: string): void {
  const address = URL.createObjectURL(new Blob(typeof content === "string" ? [content] : content, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
