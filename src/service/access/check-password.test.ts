import { expect, test } from "vitest";
import type { Session } from "#core/access/session.ts";
import { instant } from "#core/time/instant.ts";
import { createFakeAttempts } from "../../../test/support/fake-attempts.ts";
import { makeSession } from "../../../test/support/records.ts";
import { createAttemptLimits } from "./attempt-limits.ts";
import { createPasswordCheck } from "./check-password.ts";
import { createSeal } from "./seal.ts";

/** Anna has the password "right". Each check that is made is noted with the hash that it was made against. */
function open({ perMinute = 1_000, sessions = [] as readonly Session[] } = {}) {
  const checked: (string | undefined)[] = [];
  let seconds = 0;
  const now = () => instant(seconds * 1000);
  const needs = {
    accounts: {
      findPassword: async (mail: string) =>
        mail.toLowerCase() === "anna@example.org" ? { id: "anna", password: "hash of right" } : undefined,
    },
    sessions: { all: async () => sessions },
    attemptLimits: createAttemptLimits({ attempts: createFakeAttempts(), seal: createSeal(new Uint8Array(32)), now }),
    passwords: {
      matches: async (password: string, stored: string | undefined) => {
        checked.push(stored);
        return stored === `hash of ${password}`;
      },
    },
  } as unknown as Parameters<typeof createPasswordCheck>[0];
  const check = createPasswordCheck(needs, perMinute);
  const outcome = async (mail: string, password: string, address = "203.0.113.1") => {
    try {
      return await check({ mail, password }, address);
    } catch (error) {
      const { code, message, retryAfter } = error as { code: string; message: string; retryAfter?: number };
      return retryAfter === undefined
        ? code
        : `${code} ${message.includes("address") ? "address" : "person"} ${retryAfter}`;
    }
  };
  const wait = (more: number) => {
    seconds += more;
  };
  return { outcome, checked, wait };
}

test("the right password gives the person, however the mail address is written", async () => {
  const { outcome } = open();
  expect(await outcome("Anna@Example.org", "right")).toBe("anna");
});

test("an unknown address and a wrong password get the same answer after the same work", async () => {
  const { outcome, checked } = open();
  expect(await outcome("anna@example.org", "wrong")).toBe("unauthorized");
  expect(await outcome("nobody@example.org", "wrong")).toBe("unauthorized");
  expect(checked).toEqual(["hash of right", undefined]);
});

test("an address has so many wrong passwords a minute; then nothing of it is checked, also not the right one", async () => {
  const { outcome, checked, wait } = open({ perMinute: 3 });
  const mails = ["a@example.org", "b@example.org", "anna@example.org"];
  for (const mail of mails) expect(await outcome(mail, "wrong")).toBe("unauthorized");
  expect(await outcome("anna@example.org", "right")).toBe("too_many_sign_ins address 60");
  expect(checked).toHaveLength(3);
  expect(await outcome("anna@example.org", "right", "203.0.113.2")).toBe("anna");
  wait(60);
  expect(await outcome("anna@example.org", "right")).toBe("anna");
});

test("all addresses of a /64 are one, and the right password does not count", async () => {
  const { outcome } = open({ perMinute: 2 });
  for (let time = 0; time < 9; time++) expect(await outcome("anna@example.org", "right", "2001:db8::9")).toBe("anna");
  expect(await outcome("a@example.org", "x", "2001:db8::1")).toBe("unauthorized");
  expect(await outcome("b@example.org", "x", "2001:db8::ffff:2")).toBe("unauthorized");
  expect(await outcome("c@example.org", "x", "2001:db8::3")).toMatch("too_many_sign_ins address");
});

test.each(["anna@example.org", "nobody@example.org"])(
  "from many addresses, %s is guessed at 20 times",
  async (mail) => {
    const { outcome, checked, wait } = open();
    for (let guess = 0; guess < 20; guess++) {
      const spelt = guess % 2 === 0 ? mail : ` ${mail.toUpperCase()}`;
      expect(await outcome(spelt.trim(), "wrong", `203.0.113.${guess}`)).toBe("unauthorized");
    }
    expect(await outcome(mail, "right", "203.0.113.99")).toBe("too_many_sign_ins person 900");
    expect(checked).toHaveLength(20);
    wait(900);
    expect(await outcome(mail, "wrong", "203.0.113.99")).toBe("unauthorized");
  },
);

test("where a person is signed in, guessing elsewhere keeps nobody out", async () => {
  const sessions = [makeSession({ tokenId: "anna", remoteAddress: "198.51.100.7" })];
  const { outcome } = open({ sessions });
  for (let guess = 0; guess < 25; guess++) await outcome("anna@example.org", "wrong", `203.0.113.${guess}`);
  expect(await outcome("anna@example.org", "right", "203.0.113.99")).toMatch("too_many_sign_ins person");
  expect(await outcome("anna@example.org", "right", "198.51.100.7")).toBe("anna");
  expect(await outcome("anna@example.org", "wrong", "198.51.100.7")).toBe("unauthorized");
});

test("of many at once, no more are checked than of as many one after the other", async () => {
  const { outcome, checked } = open({ perMinute: 10 });
  const flood = await Promise.all(Array.from({ length: 200 }, () => outcome("anna@example.org", "wrong")));
  expect(flood.filter((one) => one === "unauthorized")).toHaveLength(10);
  expect(checked).toHaveLength(10);
});
