import { expect, test } from "vitest";
import type { GatewayChange } from "#core/link/asked-change.ts";
import { instant } from "#core/time/instant.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { operation } from "#service/operation/operation.ts";
import { createOperations, type PerformNeeds } from "#service/operation/perform.ts";
import { Type } from "#service/operation/schema.ts";

const ASSIGN = operation({
  method: "POST",
  path: "/v3/devices/:device_id/assign_blueprint",
  name: "assignBlueprint",
  summary: "",
  tag: "",
  level: "owner",
  body: Type.Object({ blueprint_id: Type.String() }),
  answer: Type.Object({}),
  atGateway: { by: "gateway", place: deviceOfPath, waits: true, compares: "blueprint" },
  run: async () => expect.unreachable("the gateway does it"),
});
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
    refusals: { note: () => false },
    changes: { list: async () => ({ items: had === undefined ? [] : [{ id: "c", deviceId: "d", ...had }], total: 1 }) },
  } as unknown as PerformNeeds;
  const gatewayChanges = {
    ask: async (_: unknown, { rolloutId }: { readonly rolloutId?: string | undefined }) => {
      happened = `asks for ${rolloutId}`;
      return { id: "c", state: "PENDING", askedBy: {}, createdAt: instant(0) } as unknown as GatewayChange;
    },
  };
  const operations = createOperations(needs);
  operations.open([ASSIGN], { changes: gatewayChanges, questions: { ask: async () => ({}) } });
  const caller = { tokenId: "t", tokenName: "t", level: "installer", sites: "all" } as const;
  const call = { caller, operation: "runRollout", requestId: "rollout r", rolloutId: "r", remoteAddress: "" };
  const input = { params: { device_id: "d" }, body: { blueprint_id: "new" } };
  return await operations.perform(call, "assignBlueprint", input).then(
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
    "another blueprint was assigned in the meantime",
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
