// Controls and claims in the words of the page.
import type { Claim, Control, ControlRecord } from "#client/resources.ts";
import { session } from "#web/data/session.svelte.ts";
import { unitSymbol } from "#web/data/show-value.ts";
import { show } from "#web/i18n/show.ts";
import { doorText } from "#web/parts/door-text.ts";
import { type ClaimClass, type Held, isOwn } from "./control-view.ts";
import { t } from "./messages.ts";

type Quantity = Pick<Control, "type" | "unit">;

/** A value with its unit; of a switch On or Off. */
export function valueText(value: number, { type, unit }: Quantity, digits?: number): string {
  if (type === "boolean") return value >= 0.5 ? t.on : t.off;
  const symbol = unitSymbol(unit ?? undefined);
  return `${show.number(value, digits)}${symbol === undefined ? "" : ` ${symbol}`}`;
}

/** A value that somebody gave, to its last digit. */
export const exactText = (value: number, control: Quantity): string => valueText(value, control, 6);

export const classWord = (kind: ClaimClass): string => t[`class_${kind}`];

/** "Rule: Night program", "Person: you". */
export function whoText(claim: Pick<Claim, "class" | "source" | "source_name">): string {
  if (isOwn(claim, session.current?.token_id) && claim.class === "person") return t.who(t.class_person, t.you);
  return claim.source_name === null ? classWord(claim.class) : t.who(classWord(claim.class), claim.source_name);
}

/** How a person set it, such as "in the page". A rule and the like say it by their kind. */
export const doorOfPerson = ({ class: kind, door }: Pick<ControlRecord, "class" | "door">): string =>
  kind === "person" ? doorText(door) : "";

/** Who controlled it then; empty when nobody did. */
export function recordWho({ class: kind, source, source_name }: ControlRecord): string {
  return kind === null ? "" : whoText({ class: kind, source: source ?? "", source_name });
}

/** What a claim wants. 0, no limit and nothing are three things. */
export function wantText({ kind, value }: Pick<Claim, "kind" | "value">, control: Quantity): string {
  if (value === null) return t.saysNothing;
  if (value === "unlimited") return kind === "min" ? t.noLower : t.noUpper;
  const text = exactText(value, control);
  return kind === "target" ? text : kind === "min" ? t.atLeast(text) : t.atMost(text);
}

/** "Wallbox, Charging current: at most 10 A". */
export function heldText({ control, claim, counts }: Held, device: string): string {
  const text = t.held(device, control.display_name, wantText(claim, control));
  return counts ? text : t.heldBack(text);
}

const DAY = 86_400_000;

/** The hour alone where it is within a day. */
export function endText(at: string, now: number): string {
  return show.time(at, Date.parse(at) - now < DAY / 2 ? "time" : "dateTime");
}
