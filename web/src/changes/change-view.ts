// Changes that a cloud asks its gateways for: which are listed, and what is asked. Pure.
import type { GatewayChange } from "#client/resources.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import type { Query } from "#web/router/query.ts";

export const CHANGE_STATES = ["PENDING", "REFUSED", "OVERRULED", "WITHDRAWN", "DONE"] as const;

/** Colours of the states; `t` has their words. */
export const CHANGE_TONES = {
  PENDING: "info",
  DONE: "ok",
  REFUSED: "error",
  OVERRULED: "warning",
  WITHDRAWN: "info",
} as const;

const PAGE_SIZE = 50;

export type ChangeFilter = {
  readonly "state.in"?: readonly GatewayChange["state"][];
  readonly "site_id.in"?: readonly string[];
  readonly "device_id.in"?: readonly string[];
  readonly limit: number;
  readonly offset: number;
};

/** What the address asks for; what is not known is left out. */
export function readChangeFilter(query: Query): ChangeFilter {
  const wanted = query.list("state");
  const states = CHANGE_STATES.filter((state) => wanted.includes(state));
  const site = query.text("site");
  const device = query.text("device");
  const page = Math.max(1, Math.floor(Number(query.text("page"))) || 1);
  return {
    ...(states.length > 0 && { "state.in": states }),
    ...(site !== undefined && { "site_id.in": [site] }),
    ...(device !== undefined && { "device_id.in": [device] }),
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  };
}

/** Whoever asked for a change may withdraw it while it waits, and everybody with level owner. */
export function mayWithdraw(
  {
    state,
    asked_by: { token_id: asker },
  }: Pick<GatewayChange, "state"> & { readonly asked_by: { readonly token_id: string } },
  session: { readonly token_id: string; readonly level: AccessLevel } | undefined,
): boolean {
  if (state !== "PENDING" || session === undefined || !allows(session.level, "user")) return false;
  return allows(session.level, "owner") || session.token_id === asker;
}

/** States of changes that concern whoever looks at a device. */
export const OPEN_STATES = ["PENDING", "REFUSED", "OVERRULED"] as const;
/** A refusal of long ago is no news. */
const LATELY = 7 * 86_400_000;

/** Changes of a device that wait, and how many were not made lately. */
export function openChanges(
  changes: readonly Pick<GatewayChange, "state" | "settled_at" | "operation" | "gateway_id">[],
  now: number,
): { readonly waiting: typeof changes; readonly notMade: number } {
  const isLate = (at: string | null) => at !== null && now - Date.parse(at) < LATELY;
  return {
    waiting: changes.filter(({ state }) => state === "PENDING"),
    notMade: changes.filter(({ state, settled_at: at }) => (state === "REFUSED" || state === "OVERRULED") && isLate(at))
      .length,
  };
}

type Asked = { readonly name: string; readonly text: string };

const LONGEST = 200;

/** What is asked for, a line for each part. Long texts are cut: the whole of it is behind the interface. */
export function askedParts({ asked }: Pick<GatewayChange, "asked">): readonly Asked[] {
  return Object.entries(asked).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return { name, text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text };
  });
}
