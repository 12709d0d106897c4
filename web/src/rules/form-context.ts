// What the parts of a rule's form share.
import type { Issue } from "#core/blueprint/issue.ts";
import type { RuleNames } from "./rule-names.ts";
import type { Json } from "./rule-tools.ts";

export type Path = readonly (string | number)[];

export type FormContext = {
  readonly names: RuleNames;
  readonly issues: readonly Issue[];
  readonly isReadOnly: boolean;
  /** Writes into the text. What is undefined is removed. */
  readonly edit: (edits: readonly { readonly path: Path; readonly value: Json | undefined }[]) => void;
};

const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The first thing that is wrong with a part itself; with `deep`, also with what is inside. */
export function problemAt(issues: readonly Issue[], path: Path, deep = false): string | undefined {
  const pointer = pointerOf(path);
  return issues.find(({ path: place }) => place === pointer || (deep && place.startsWith(`${pointer}/`)))?.message;
}
