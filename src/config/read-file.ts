import { nearestOf } from "#core/text/nearest.ts";
import { didYouMean, type Given, type Source } from "./given.ts";
import { type Setting, settingList } from "./settings.ts";

/** Reads busbar.yaml: settings as nested maps (`http:` with `metrics_public:` below) or as dotted keys. */
export async function readFile(text: string, fileName: string): Promise<Source> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const given = new Map<string, Given>();
  const problems: string[] = [];
  const originAt = (node: unknown): string => {
    const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
    return Array.isArray(range) ? `${fileName} line ${lines.linePos(Number(range[0])).line}` : fileName;
  };

  for (const slip of [...document.errors, ...document.warnings]) {
    problems.push(
      `${fileName} line ${lines.linePos(slip.pos[0]).line}: ${slip.message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "")}`,
    );
  }
  if (problems.length > 0) return { given: [], problems };

  const visit = (node: unknown, path: string, key: unknown): void => {
    const origin = originAt(key ?? node);
    const setting = BY_NAME.get(path);
    if (isMap(node) && (path === "" || GROUPS.has(path))) {
      for (const pair of node.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : "";
        visit(pair.value, path === "" ? name : `${path}.${name}`, pair.key);
      }
      return;
    }
    const isEmpty = node === null || (isScalar(node) && (node.value === null || node.value === ""));
    if (setting === undefined) {
      if (path === "") problems.push(...(isEmpty ? [] : [`${fileName}: must be a map of settings`]));
      else if (!GROUPS.has(path)) problems.push(`${origin}: ${path} is unknown${didYouMean(nearestOf(path, NAMES))}`);
      else if (!isEmpty) problems.push(`${origin}: ${path} is a group of settings, write them below it`);
      return;
    }
    if (isEmpty) return;
    const texts = isSeq(node)
      ? node.items.map((item) => (isScalar(item) ? textOf(item) : undefined))
      : isScalar(node)
        ? [textOf(node)]
        : [undefined];
    const found = texts.filter((part) => part !== undefined);
    if (found.length < texts.length)
      problems.push(`${origin}: ${path} must be a plain value or a list of plain values`);
    else if (given.has(path)) problems.push(`${origin}: ${path} is set twice, first in ${given.get(path)?.origin}`);
    else given.set(path, { setting, text: isSeq(node) ? setting.kind.join(found) : (found[0] ?? ""), origin });
  };
  visit(document.contents, "", undefined);
  return { given: [...given.values()], problems };
}

/** The text as written, so that `007`, `1e3` and `off` mean the same here as in a flag. */
function textOf(scalar: { readonly value: unknown; readonly source?: string | undefined }): string {
  return typeof scalar.value === "string" ? scalar.value : (scalar.source ?? String(scalar.value));
}

const BY_NAME: ReadonlyMap<string, Setting> = new Map(settingList.map((setting) => [setting.name, setting]));
const NAMES = [...BY_NAME.keys()];
const GROUPS: ReadonlySet<string> = new Set(
  NAMES.filter((name) => name.includes(".")).map((name) => name.split(".")[0] ?? ""),
);
