import { expect, test } from "vitest";
import { type Instant, instant } from "#core/time/instant.ts";
import type { NewTerminalSignIn } from "#service/ports/terminal-sign-in-store.ts";
import { NOON, newId, UNUSUAL } from "../support/records.ts";
import type { OpenStores } from "./stores.ts";

const at = (after: number): Instant => instant(NOON + after);
const LIMITS = { addressBlock: "203.0.113.9", mostOfAddress: 3, most: 5 };

function asked(fields: Partial<NewTerminalSignIn["signIn"]> = {}, more: Partial<NewTerminalSignIn> = {}) {
  const signIn = {
    ...{ programKey: newId(), userKey: newId(), program: "busbar on laptop", askedLevel: undefined },
    ...{ remoteAddress: "203.0.113.9", createdAt: at(0), expiresAt: at(100), ...fields },
  };
  return { ...LIMITS, signIn, ...more };
}

const APPROVED = { kind: "approved", tokenId: "t", name: "laptop", level: "user", lifetimeMs: 5 } as const;

export function terminalSignInStoreContract(open: OpenStores): void {
  test("one is found by either key as it was stored, before and after the decision", async () => {
    const { terminalSignIns } = await open();
    for (const [index, program] of UNUSUAL.entries()) {
      const input = asked({ program, askedLevel: "owner" }, { addressBlock: `a${index}`, most: 1_000 });
      const { programKey, userKey } = input.signIn;
      expect(await terminalSignIns.insert(input)).toBe(true);
      const open = { ...input.signIn, decision: undefined };
      expect(await terminalSignIns.find({ user: userKey })).toEqual(open);
      expect(await terminalSignIns.find({ program: programKey })).toEqual(open);
      expect(await terminalSignIns.find({ program: userKey })).toBeUndefined();
      const decision = {
        ...APPROVED,
        name: program,
        sites: index % 2 === 0 ? ("all" as const) : new Set(["s1", "s2"]),
      };
      expect(await terminalSignIns.decide(userKey, decision, at(1))).toBe(true);
      expect(await terminalSignIns.find({ program: programKey })).toEqual({ ...open, decision });
    }
  });

  test("of many decisions at once one counts, and of many takers one gets it; none before the decision or too late", async () => {
    const { terminalSignIns } = await open();
    const { signIn, ...limits } = asked();
    await terminalSignIns.insert({ signIn, ...limits });
    expect(await terminalSignIns.take(signIn.programKey, at(1))).toBe(false);
    expect(await terminalSignIns.decide(signIn.userKey, { kind: "denied" }, at(100))).toBe(false);
    const decisions = [1, 2, 3, 4].map(() =>
      terminalSignIns.decide(signIn.userKey, { ...APPROVED, sites: "all" }, at(1)),
    );
    expect((await Promise.all(decisions)).filter(Boolean)).toHaveLength(1);
    expect(await terminalSignIns.take(signIn.programKey, at(100))).toBe(false);
    const takers = [1, 2, 3, 4].map(() => terminalSignIns.take(signIn.programKey, at(2)));
    expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1);
    expect(await terminalSignIns.find({ user: signIn.userKey })).toBeUndefined();
  });

  test("beyond the limit of an address its oldest ends; with too many of all, a further one is not stored; what expired goes", async () => {
    const { terminalSignIns } = await open();
    const insert = async (createdAt: number, addressBlock: string) => {
      const input = asked({ createdAt: at(createdAt), expiresAt: at(createdAt + 100) }, { addressBlock });
      return [await terminalSignIns.insert(input), input.signIn.userKey] as const;
    };
    const made = [await insert(1, "a"), await insert(2, "a"), await insert(3, "a"), await insert(4, "a")];
    const isThere = async (index: number) =>
      (await terminalSignIns.find({ user: made[index]?.[1] ?? "" })) !== undefined;
    expect([await isThere(0), await isThere(1), await isThere(3)]).toEqual([false, true, true]);
    expect((await insert(5, "b"))[0]).toBe(true);
    expect((await insert(6, "c"))[0]).toBe(true);
    expect((await insert(7, "d"))[0]).toBe(false);
    // The one of 2 is over.
    expect((await insert(102, "d"))[0]).toBe(true);
    expect([await isThere(1), await isThere(2)]).toEqual([false, true]);
  });

  test("a code that is in use is not given twice", async () => {
    const { terminalSignIns } = await open();
    const { signIn, ...limits } = asked();
    expect(await terminalSignIns.insert({ signIn, ...limits })).toBe(true);
    expect(await terminalSignIns.insert(asked({ userKey: signIn.userKey }))).toBe(false);
    expect(await terminalSignIns.find({ program: signIn.programKey })).toMatchObject({ userKey: signIn.userKey });
  });
}
