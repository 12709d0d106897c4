// The key `.busbar` at the root of a manifest: what Busbar knows beyond the manifest language. Other readers pass over
// keys with a dot, so nothing here may be needed to understand the rest.
import { ALERT_LISTS, type AlertLists } from "#core/blueprint/blueprint.ts";
import type { Reporter } from "./reporter.ts";
import { entryTrail, type Trail } from "./tree.ts";
import { choices, quote } from "./words.ts";

export interface ManifestExtension {
  readonly alertLists: AlertLists;
}

const OPTIONS = ["alerts"];

/** What cannot be read is a warning, and the default counts: a manifest without the key is complete. */
export function readExtension(reporter: Reporter, root: Trail): ManifestExtension {
  const entry = root.node.kind === "map" ? root.node.extension : undefined;
  let alertLists: AlertLists = "repeated";
  if (entry === undefined) return { alertLists };
  const trail = entryTrail(root, entry);
  const { node } = trail;
  if (node.kind !== "map") {
    reporter.atKey(trail, {
      code: "bad_extension",
      message: `.busbar must be an object, such as {alerts: on_change}.`,
    });
    return { alertLists };
  }
  for (const option of node.entries.values()) {
    const inner = entryTrail(trail, option);
    if (option.key !== "alerts") {
      const { words } = choices(reporter, option.key, OPTIONS);
      reporter.atKey(inner, { code: "bad_extension", message: `.busbar has no key ${quote(option.key)}. ${words}` });
      continue;
    }
    const given = inner.node.kind === "scalar" ? inner.node.text : "";
    const found = ALERT_LISTS.find((word) => word === given);
    if (found !== undefined) alertLists = found;
    else {
      const { words } = choices(reporter, given, ALERT_LISTS);
      reporter.atValue(inner, { code: "bad_extension", message: `alerts cannot be ${quote(given)}. ${words}` });
    }
  }
  return { alertLists };
}
