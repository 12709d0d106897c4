import { expect, test } from "vitest";
import { type Instant, instant } from "#core/time/instant.ts";
import type { NewProviderSignIn } from "#service/ports/provider-sign-in-store.ts";
import { NOON, newId } from "../support/records.ts";
import type { OpenStores } from "./stores.ts";

const at = (after: number): Instant => instant(NOON + after);

function begun(fields: Partial<NewProviderSignIn> = {}): NewProviderSignIn {
  return {
    ...{ stateKey: newId(), browserKey: newId(), addressBlock: "203.0.113.9", createdAt: at(0), expiresAt: at(100) },
    ...{ mostOfAddress: 3, most: 5, ...fields },
  };
}

export function providerSignInStoreContract(open: OpenStores): void {
  test("of many takers at once one gets it, only from the browser that began it, and not too late", async () => {
    const { providerSignIns } = await open();
    const [one, other] = [begun(), begun()];
    for (const signIn of [one, other]) expect(await providerSignIns.insert(signIn)).toBe(true);
    for (const wrong of [
      { stateKey: one.stateKey, browserKey: other.browserKey },
      { stateKey: one.browserKey, browserKey: one.stateKey },
      { stateKey: newId(), browserKey: one.browserKey },
    ])
      expect(await providerSignIns.take(wrong, at(1))).toBe(false);
    expect(await providerSignIns.take(one, at(100))).toBe(false);
    const takers = [1, 2, 3, 4].map(() => providerSignIns.take(one, at(99)));
    expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1);
    expect(await providerSignIns.take(other, at(99))).toBe(true);
  });

  test("beyond the limit of an address its oldest ends; with too many of all, a further one is not stored; what expired goes", async () => {
    const { providerSignIns } = await open();
    const insert = async (createdAt: number, addressBlock: string) => {
      const signIn = begun({ createdAt: at(createdAt), expiresAt: at(createdAt + 100), addressBlock });
      return { signIn, isStored: await providerSignIns.insert(signIn) };
    };
    const ofA = [await insert(1, "a"), await insert(2, "a"), await insert(3, "a"), await insert(4, "a")];
    expect(ofA.map(({ isStored }) => isStored)).toEqual([true, true, true, true]);
    expect((await insert(5, "b")).isStored).toBe(true);
    expect((await insert(6, "c")).isStored).toBe(true);
    expect((await insert(7, "d")).isStored).toBe(false);
    // The one of 2 is over.
    expect((await insert(102, "d")).isStored).toBe(true);
    const taken = await Promise.all(ofA.map(({ signIn }) => providerSignIns.take(signIn, at(90))));
    expect(taken).toEqual([false, false, true, true]);
  });
}
