// The codes with which gateways join a cloud: used once, listed while they can be used, and withdrawn.
import { describe, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { makeGateway, makeJoinCode } from "../support/gateways.ts";
import { makeEntry, NOON, newId, UNUSUAL } from "../support/records.ts";
import { ALL, auditIds, type OpenStores, pagingContract } from "./stores.ts";

export function joinCodeContract(open: OpenStores): void {
  test("a code lets one gateway join, once, until it expires", async () => {
    const { gateways } = await open();
    const [named, plain] = [makeJoinCode({ name: "Roof" }), makeJoinCode()];
    await gateways.insertCode(named, makeEntry());
    await gateways.insertCode(plain, makeEntry());
    expect(await gateways.hasCode(named.hash, NOON)).toBe(true);
    expect(await gateways.hasCode(named.hash, named.expiresAt)).toBe(false);
    const gateway = makeGateway();
    expect(await gateways.join(named.hash, gateway, makeEntry())).toEqual({ ...gateway, name: "Roof" });
    expect(await gateways.join(named.hash, makeGateway(), makeEntry())).toBeUndefined();
    const late = makeGateway({ createdAt: plain.expiresAt });
    expect(await gateways.join(plain.hash, late, makeEntry())).toBeUndefined();
    expect(await gateways.find(gateway.id)).toEqual({ ...gateway, name: "Roof" });
    expect((await gateways.list({}, ALL)).items).toEqual([{ ...gateway, name: "Roof" }]);
  });

  test("codes that can still be used are listed as they were made, without their hashes", async () => {
    const { gateways } = await open();
    const names = [undefined, ...UNUSUAL];
    const codes = names.map((name) => makeJoinCode({ name, madeBy: { tokenId: "t", name: name ?? "x" } }));
    for (const code of codes) await gateways.insertCode(code, makeEntry());
    const [used, ...rest] = codes;
    if (used === undefined) throw new Error("there is no code");
    const shown = codes.map(({ hash: _, ...code }) => code);
    expect(await gateways.listCodes(NOON, ALL)).toEqual({ items: shown, total: shown.length });
    await gateways.join(used.hash, makeGateway(), makeEntry());
    expect((await gateways.listCodes(NOON, ALL)).items.map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
    expect(await gateways.listCodes(used.expiresAt, ALL)).toEqual({ items: [], total: 0 });
  });

  describe("a list of codes", () =>
    pagingContract(
      open,
      async ({ gateways }) => {
        const codes = Array.from({ length: 5 }, () => makeJoinCode());
        for (const code of codes) await gateways.insertCode(code, makeEntry());
        return codes.map(({ id }) => id);
      },
      ({ gateways }, page) => gateways.listCodes(NOON, page),
    ));

  test("a withdrawn code lets nobody join, and is withdrawn once, with its audit entry", async () => {
    const stores = await open();
    const { gateways } = stores;
    const [code, other] = [makeJoinCode(), makeJoinCode()];
    await gateways.insertCode(code, makeEntry());
    await gateways.insertCode(other, makeEntry());
    const trail = makeEntry();
    expect(await gateways.withdrawCode(code.id, NOON, trail)).toBe(true);
    expect((await auditIds(stores)).at(-1)).toBe(trail.id);
    const before = await auditIds(stores);
    expect(await gateways.withdrawCode(code.id, NOON, makeEntry())).toBe(false);
    expect(await gateways.withdrawCode(newId(), NOON, makeEntry())).toBe(false);
    expect(await gateways.withdrawCode(other.id, other.expiresAt, makeEntry())).toBe(false);
    expect(await auditIds(stores)).toEqual(before);
    expect(await gateways.hasCode(code.hash, NOON)).toBe(false);
    expect(await gateways.join(code.hash, makeGateway(), makeEntry())).toBeUndefined();
    expect(await gateways.join(other.hash, makeGateway(), makeEntry())).toBeDefined();
    expect(await gateways.withdrawCode(other.id, NOON, makeEntry())).toBe(false);
  });

  test("a withdrawal and a join at the same moment: one of them wins", async () => {
    const { gateways } = await open();
    for (let round = 0; round < 10; round += 1) {
      const code = makeJoinCode({ createdAt: instant(NOON + round), expiresAt: instant(NOON + 60_000) });
      await gateways.insertCode(code, makeEntry());
      const gateway = makeGateway({ createdAt: code.createdAt });
      const withdrawals = [];
      if (round % 2 === 0) withdrawals.push(gateways.withdrawCode(code.id, code.createdAt, makeEntry()));
      const joining = gateways.join(code.hash, gateway, makeEntry());
      if (round % 2 === 1) withdrawals.push(gateways.withdrawCode(code.id, code.createdAt, makeEntry()));
      const [joined, withdrawn] = await Promise.all([joining, ...withdrawals]);
      expect([joined !== undefined, withdrawn]).toEqual(joined === undefined ? [false, true] : [true, false]);
      expect((await gateways.find(gateway.id)) !== undefined).toBe(joined !== undefined);
    }
  });
}
