// The steps of adding a device, as the address names them: `?kind=lua&blueprint=...`. Pure.
import type { CatalogueEntry, MqttProtocol } from "#client/resources.ts";
import { isSlug } from "#core/device/slug.ts";
import type { Query } from "#web/router/query.ts";

export const KINDS = ["mqtt", "lua", "simulated", "child"] as const;
export type Kind = (typeof KINDS)[number];

/** `details` asks for the name and what else the kind needs; `result` shows the device that was made. */
export type Step = "kind" | "blueprint" | "details" | "result";

export type Place = {
  readonly step: Step;
  readonly kind: Kind | undefined;
  readonly blueprint: string | undefined;
  /** The device that was made. */
  readonly device: string | undefined;
};

/** What somebody has typed about the device. */
export type Typed = {
  name: string;
  slug: string;
  parent: string;
  childType: string;
  /** Simulated seconds per second. */
  speed: string;
  protocol: MqttProtocol;
};

/** A device of these kinds is what its blueprint says; the others can do without one. */
const NEEDS_BLUEPRINT: ReadonlySet<Kind> = new Set<Kind>(["lua", "simulated"]);

export function needsBlueprint(kind: Kind): boolean {
  return NEEDS_BLUEPRINT.has(kind);
}

/** What is missing in the address decides where somebody is. */
export function placeOf(query: Query): Place {
  const kind = KINDS.find((one) => one === query.text("kind"));
  const blueprint = query.text("blueprint");
  const device = query.text("device");
  const step = (): Step => {
    if (kind === undefined) return "kind";
    if (device !== undefined) return "result";
    const isChoosing = query.text("step") === "blueprint";
    return isChoosing || (blueprint === undefined && needsBlueprint(kind)) ? "blueprint" : "details";
  };
  return { step: step(), kind, blueprint, device };
}

export function stepsOf(kind: Kind | undefined): readonly Step[] {
  return kind !== undefined && needsBlueprint(kind)
    ? ["kind", "blueprint", "details", "result"]
    : ["kind", "details", "result"];
}

/** Whether a blueprint can be used for a kind: only a script can be run here. */
export function fits(kind: Kind, runtime: string | undefined): boolean {
  return kind !== "lua" || runtime === undefined || runtime === "lua";
}

/** The entries that a kind can use and that have every word, in the order of the catalogue. */
export function findEntries(
  entries: readonly CatalogueEntry[],
  { kind, text }: { readonly kind: Kind; readonly text: string },
): readonly CatalogueEntry[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (!fits(kind, entry.runtime)) return false;
    const { display_name: name, description, category, author, id, offers } = entry;
    const all = fold([name, description, category ?? "", author ?? "", id, ...offers.profiles].join(" "));
    return words.every((word) => all.includes(word));
  });
}

/** Without accents and case. */
function fold(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** What is wrong with a name or a slug, before the service is asked. Without a slug, one is made from the name. */
export function problemsOf(given: { readonly name: string; readonly slug: string }): {
  readonly name: "missing" | undefined;
  readonly slug: "form" | undefined;
} {
  return {
    name: given.name.trim() === "" ? "missing" : undefined,
    slug: given.slug === "" || isSlug(given.slug) ? undefined : "form",
  };
}
