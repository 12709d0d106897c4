/** Any value in a cell or line: texts unchanged, everything else as JSON. */
export function renderValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
