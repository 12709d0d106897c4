import { expect, test } from "vitest";
import type { GatewayChange } from "#core/link/asked-change.ts";
import { instant } from "#core/time/instant.ts";
import { type AssignAnywhereNeeds, assignAnywhere } from "./assign-anywhere.ts";

const SINCE = 100_000;
/** `has` is the blueprint that the device has now. */
type Outcome = Partial<Pick<GatewayChange, "outcome" | "settledAt">> & { readonly has?: string };
const refused = (code: "invalid_body" | "storage_full", at: number): Outcome => ({
  outcome: { state: "REFUSED", errors: [{ code, message: `${code} there` }] },
  settledAt: instant(at),
});

/** What happens to a device of a joined site: `had` is what has become of the last change of the roll-out. */
async function assigned(had: Outcome | undefined): Promise<string> {
  let happened = "waits";
  const device = { id: "d", siteId: "s", blueprintId: had?.has ?? "old" };
  const needs = {
    now: () => instant(SINCE + 20_000),
    devices: { find: async () => device, findBySlug: async () => [device] },
    gateways: { ownerOf: async () => "g" },
    blueprints: { find: async () => ({ digest: "digest" }) },
    changes: { list: async () => ({ items: had === undefined ? [] : [{ id: "c", deviceId: "d", ...had }], total: 1 }) },
    gatewayChanges: {
      ask: async (_: unknown, { rolloutId }: { rolloutId: string }) => {
        happened = `asks for ${rolloutId}`;
      },
    },
  } as unknown as AssignAnywhereNeeds;
  const caller = { tokenId: "t", tokenName: "t", level: "installer", sites: "all" } as const;
  const call = { caller, operation: "runRollout", requestId: "r", remoteAddress: "" };
  const input = { device: "d", blueprintId: "new", rolloutId: "r" };
  return await assignAnywhere(needs, call, input).then(
    () => happened,
    (error: Error) => error.message,
  );
}

test.each<readonly [string, Outcome | undefined, string]>([
  ["was never asked", undefined, "asks for r"],
  ["has not answered", {}, "waits"],
  ["has made it", { outcome: { state: "DONE", answer: {} }, has: "new" }, "waits"],
  [
    "has made it, and then got another",
    { outcome: { state: "DONE", answer: {} } },
    "somebody gave it another blueprint",
  ],
  [
    "was changed meanwhile",
    { outcome: { state: "OVERRULED", fields: ["blueprint"] } },
    "the gateway has changed blueprint meanwhile",
  ],
  ["refuses it", refused("invalid_body", SINCE), "invalid_body there"],
  ["has just had no room", refused("storage_full", SINCE + 15_000), "waits"],
  ["had no room a while ago", refused("storage_full", SINCE), "asks for r"],
  ["was not asked any more in a pause", { outcome: { state: "WITHDRAWN", isByRollout: true } }, "asks for r"],
  [
    "is not to make it, as somebody says",
    { outcome: { state: "WITHDRAWN", isByRollout: false } },
    "somebody has withdrawn the change",
  ],
])("what a roll-out does with a device whose gateway %s (%j): %s", async (_, had, expected) => {
  expect(await assigned(had)).toBe(expected);
});
