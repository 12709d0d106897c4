// The changes that a cloud asks its gateways for.
import { expect, test } from "vitest";
import { type GatewayChange, MAX_PENDING_CHANGE_BYTES } from "#core/link/asked-change.ts";
import { instant } from "#core/time/instant.ts";
import { makeGateway, makeJoinCode } from "../support/gateways.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { ALL, auditIds, expectRefusal, type OpenStores } from "./stores.ts";

export function makeChange(fields: Partial<GatewayChange> = {}): GatewayChange {
  return {
    id: newId(),
    gatewayId: "g",
    siteId: "s",
    deviceId: "d",
    operation: "updateDevice",
    base: { name: "old" },
    shown: { name: "new" },
    askedBy: { tokenId: "t", name: "Ada" },
    requestId: "r",
    sealed: new TextEncoder().encode("sealed"),
    createdAt: NOON,
    awaitedUntil: instant(NOON + 1),
    state: "PENDING",
    settledAt: undefined,
    outcome: undefined,
    ...fields,
  };
}

const DONE = { state: "DONE", answer: { device: {} } } as const;

export function changeStoreContract(open: OpenStores): void {
  test("changes are found as they were stored, and wait in the order in which they were asked for", async () => {
    const { changes, audit } = await open();
    const [first, second, elsewhere] = [
      makeChange(),
      makeChange({ deviceId: undefined, operation: "updateSite", base: {} }),
      makeChange({ gatewayId: "other" }),
    ];
    const entry = makeEntry();
    await changes.ask(first, entry);
    for (const change of [second, elsewhere]) await changes.ask(change, makeEntry());
    expect(await audit.find(entry.id)).toEqual(entry);
    for (const change of [first, second, elsewhere]) expect(await changes.find(change.id)).toEqual(change);
    expect(await changes.find(newId())).toBeUndefined();
    expect(await changes.next("g")).toEqual(first);
    const settlement = { outcome: DONE, at: NOON, rebased: [], events: [] };
    expect(await changes.settle(first.id, settlement)).toBe(true);
    expect(await changes.next("g")).toEqual(second);
    expect(await changes.settle(first.id, { ...settlement, outcome: { state: "OVERRULED", fields: [] } })).toBe(false);
    expect(await changes.settle(newId(), settlement)).toBe(false);
    // What travelled is no longer kept.
    const settled = { ...first, state: "DONE", settledAt: NOON, outcome: DONE, sealed: new Uint8Array() };
    expect(await changes.find(first.id)).toEqual(settled);
  });

  test("a claim lapses with its lease while its gateway is away, and not while it is there", async () => {
    const { changes, gateways } = await open();
    const gateway = makeGateway();
    const code = makeJoinCode();
    await gateways.insertCode(code, makeEntry());
    await gateways.join(code.hash, gateway, makeEntry());
    const leaseUntil = instant(NOON + 1_000);
    const claim = makeChange({ gatewayId: gateway.id, operation: "claimControl", leaseUntil });
    const other = makeChange({ gatewayId: gateway.id });
    for (const change of [claim, other]) await changes.ask(change, makeEntry());
    expect(await changes.find(claim.id)).toEqual(claim);
    const lapsed = async (now: number) =>
      (await changes.lapsed(instant(now), 10)).filter(({ gatewayId }) => gatewayId === gateway.id);
    expect(await lapsed(NOON + 999)).toEqual([]);
    expect(await lapsed(NOON + 1_000)).toEqual([claim]);
    const seen = { version: "1", protocol: "1.3", epoch: "e", taken: 1, at: NOON, isCaughtUp: true };
    await gateways.noteTaken(gateway.id, seen);
    expect(await lapsed(NOON + 1_000)).toEqual([]);
    expect(await gateways.find(gateway.id)).toMatchObject({ protocol: "1.3", isConnected: true, isCaughtUp: true });
    await gateways.noteGone(gateway.id, instant(NOON + 5));
    expect(await gateways.find(gateway.id)).toMatchObject({
      lastSeenAt: NOON + 5,
      isConnected: false,
      isCaughtUp: false,
    });
    expect(await lapsed(NOON + 1_000)).toEqual([claim]);
  });

  test("a change that waits is withdrawn once, and an answer that was under way counts", async () => {
    const { changes, audit } = await open();
    const [one, two] = [makeChange(), makeChange()];
    for (const change of [one, two]) await changes.ask(change, makeEntry());
    const trail = makeEntry();
    expect(await changes.withdraw(one.id, { at: NOON, trail, events: [] })).toBe(true);
    expect(await changes.withdraw(one.id, { at: NOON, trail: makeEntry(), events: [] })).toBe(false);
    expect(await audit.find(trail.id)).toEqual(trail);
    const outcome = { state: "WITHDRAWN", isByRollout: false };
    const withdrawn = { ...one, state: "WITHDRAWN", settledAt: NOON, outcome, sealed: new Uint8Array() };
    expect(await changes.find(one.id)).toEqual(withdrawn);
    expect(await changes.next("g")).toEqual(two);
    expect(await changes.settle(one.id, { outcome: DONE, at: NOON, rebased: [], events: [] })).toBe(true);
    expect(await changes.find(one.id)).toEqual({ ...withdrawn, state: "DONE", outcome: DONE });
    expect(await changes.withdraw(one.id, { at: NOON, trail: makeEntry(), events: [] })).toBe(false);
  });

  test("what waits for a gateway that is revoked is refused, and nothing more is taken for it", async () => {
    const { changes, gateways } = await open();
    const [code, gateway] = [makeJoinCode(), makeGateway()];
    const gatewayId = gateway.id;
    await gateways.insertCode(code, makeEntry());
    await gateways.join(code.hash, gateway, makeEntry());
    const change = makeChange({ gatewayId });
    await changes.ask(change, makeEntry());
    await gateways.revoke(gatewayId, NOON, makeEntry());
    const errors = [{ code: "owned_by_gateway", message: "its gateway was revoked" }];
    const outcome = { state: "REFUSED", errors };
    const refused = { ...change, state: "REFUSED", settledAt: NOON, outcome, sealed: new Uint8Array() };
    expect(await changes.find(change.id)).toEqual(refused);
    await expectRefusal(changes.ask(makeChange({ gatewayId }), makeEntry()), "owned_by_gateway");
    expect(await changes.next(gatewayId)).toBeUndefined();
  });

  test("changes of the same device get the base that the one before them leaves", async () => {
    const { changes } = await open();
    const [first, same, other, ofSite] = [
      makeChange(),
      makeChange(),
      makeChange({ deviceId: "other" }),
      makeChange({ deviceId: undefined }),
    ];
    for (const change of [first, same, other, ofSite]) await changes.ask(change, makeEntry());
    expect(await changes.beside(first)).toEqual([{ id: same.id, base: same.base }]);
    expect(await changes.beside(ofSite)).toEqual([]);
    const base = { name: "new" };
    await changes.settle(first.id, { outcome: DONE, at: NOON, rebased: [{ id: same.id, base }], events: [] });
    expect((await changes.find(same.id))?.base).toEqual(base);
  });

  test("lists are filtered by what the caller sees, newest first, and old settled changes go", async () => {
    const { changes } = await open();
    const [one, two, three] = [makeChange(), makeChange({ siteId: "s2", deviceId: "d2" }), makeChange()];
    for (const change of [one, two, three]) await changes.ask(change, makeEntry());
    await changes.settle(one.id, { outcome: { state: "REFUSED", errors: [] }, at: NOON, rebased: [], events: [] });
    const ids = async (filter: object) =>
      (await changes.list({ scope: "all", ...filter }, ALL)).items.map(({ id }) => id);
    expect(await ids({})).toEqual([three.id, two.id, one.id]);
    expect(await ids({ scope: new Set(["s"]) })).toEqual([three.id, one.id]);
    expect(await ids({ scope: new Set() })).toEqual([]);
    expect(await ids({ siteIds: ["s2"] })).toEqual([two.id]);
    expect(await ids({ deviceIds: ["d"], states: ["PENDING"] })).toEqual([three.id]);
    expect(await changes.prune(NOON, instant(NOON + 1))).toBe(0);
    expect(await changes.prune(instant(NOON + 1), NOON)).toBe(1);
    expect(await ids({})).toEqual([three.id, two.id]);
  });

  test("renewals of claims go earlier, once they are settled, and may have no audit entry", async () => {
    const stores = await open();
    const { changes } = stores;
    const renewal = () => makeChange({ operation: "renewClaim" });
    const [settled, waiting, other] = [renewal(), renewal(), makeChange()];
    for (const change of [settled, waiting, other]) await changes.ask(change, undefined);
    expect(await auditIds(stores)).toEqual([]);
    for (const { id } of [settled, other]) {
      await changes.settle(id, { outcome: DONE, at: NOON, rebased: [], events: [] });
    }
    expect(await changes.prune(NOON, NOON)).toBe(0);
    expect(await changes.prune(NOON, instant(NOON + 1))).toBe(1);
    expect((await changes.list({ scope: "all" }, ALL)).items.map(({ id }) => id)).toEqual([other.id, waiting.id]);
  });

  test("what waits for one gateway is bounded", async () => {
    const { changes } = await open();
    const large = () => makeChange({ sealed: new Uint8Array(MAX_PENDING_CHANGE_BYTES / 2) });
    for (const change of [large(), large()]) await changes.ask(change, makeEntry());
    await expectRefusal(changes.ask(makeChange(), makeEntry()), "queue_full");
    await changes.ask(makeChange({ gatewayId: "other" }), makeEntry());
  });
}
