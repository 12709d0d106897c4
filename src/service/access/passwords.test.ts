import { argon2Sync, randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { createPasswords } from "./passwords.ts";

const open = (derive?: Parameters<typeof createPasswords>[1]) => {
  const shares = createShares();
  return { shares, passwords: createPasswords({ shares, randomBytes: (length) => randomBytes(length) }, derive) };
};

test("a password matches its own hash alone, and each hash has a salt of its own", async () => {
  const { passwords } = open();
  const [one, other] = [await passwords.hash("größe zählt", "a"), await passwords.hash("größe zählt", "a")];
  expect(one).not.toBe(other);
  expect(await passwords.matches("größe zählt", one, "a")).toBe(true);
  expect(await passwords.matches("größe zählt".normalize("NFD"), other, "a")).toBe(true);
  expect(await passwords.matches("Größe zählt", one, "a")).toBe(false);
});

test("the hash is argon2id, with the parameters that it names", async () => {
  const hash = await open().passwords.hash("four plain words", "a");
  const [, memory, passes, salt = "", tag] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$(.+)\$(.+)$/.exec(hash) ?? [];
  expect([Number(memory), Number(passes)]).toEqual([19_456, 2]);
  const settings = { memory: Number(memory), passes: Number(passes), parallelism: 1, tagLength: 32 };
  const nonce = Buffer.from(salt, "base64");
  const again = argon2Sync("argon2id", { message: "four plain words", nonce, ...settings });
  expect(again.toString("base64").replace("=", "")).toBe(tag);
});

test("where nothing is stored, or what is stored is damaged, the same work is done and nothing matches", async () => {
  const work: unknown[] = [];
  const { passwords } = open(async (_, { cost }) => {
    work.push(cost);
    return new Uint8Array(32);
  });
  const good = await passwords.hash("four plain words", "a");
  expect(await passwords.matches("four plain words", good, "a")).toBe(true);
  const damaged = [
    undefined,
    "",
    "x",
    good.slice(0, -1),
    good.replace("m=19456", "m=9999999"),
    good.replace("t=2", "t=99"),
  ];
  for (const stored of damaged) expect(await passwords.matches("four plain words", stored, "a")).toBe(false);
  expect(work).toEqual(Array.from({ length: 2 + damaged.length }, () => work[0]));
});

test("of a flood, two are hashed at once, one of each address; what is too many is refused, and others get their turn", async () => {
  let inside = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  const { passwords, shares } = open(async () => {
    most = Math.max(most, ++inside);
    await new Promise<void>((resolve) => gates.push(resolve));
    inside--;
    return new Uint8Array(32);
  });
  const flood = Array.from({ length: 100 }, () => passwords.matches("x", undefined, "attacker"));
  const outcomes = Promise.allSettled(flood);
  const honest = passwords.matches("x", undefined, "honest");
  // One of the flood is inside, four wait, the rest is refused.
  await vi.waitFor(() => expect(gates).toHaveLength(2));
  const [, use] = [...shares.list()].find(([name]) => name === "passwords") ?? [];
  expect(use).toMatchObject({ inside: 2, waiting: 4, refused: 95 });
  gates[1]?.();
  expect(await honest).toBe(false);
  for (let next = 0; next < 6; next++) {
    await vi.waitFor(() => expect(gates.length).toBeGreaterThan(next));
    gates[next]?.();
  }
  const refused = (await outcomes).filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(95);
  expect(refused[0]?.reason).toMatchObject({ code: "overloaded", retryAfter: 2 });
  expect(most).toBe(2);
});
