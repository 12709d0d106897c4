import { expect, test } from "vitest";
import { createSignInPace } from "./sign-in-pace.ts";

test("a key that signs in without end is answered at its pace, and others at once", () => {
  let now = 5_000;
  const pace = createSignInPace(20, () => now);
  const waits = Array.from({ length: 43 }, () => pace.wait("device a"));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(40);
  expect(waits.slice(40)).toEqual([50, 100, 150]);
  expect(pace.wait("device b")).toBe(0);
  now += 10_000;
  expect(pace.wait("device a")).toBe(0);
});

test("those beyond five seconds are refused, and their number does not make the wait longer", () => {
  let now = 0;
  const pace = createSignInPace(20, () => now);
  const waits = Array.from({ length: 1_000 }, () => pace.wait("address 192.0.2.1"));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(1_000 - 40 - 100);
  now += 50;
  expect([pace.wait("address 192.0.2.1"), pace.wait("address 192.0.2.1")]).toEqual([5_000, undefined]);
});

test("keys that are idle are forgotten, and those that wait are not", () => {
  let now = 0;
  const pace = createSignInPace(20, () => now);
  for (let n = 0; n < 9_999; n++) pace.wait(`address ${n}`);
  now += 1_000;
  for (let n = 0; n < 50; n++) pace.wait("device busy");
  for (let n = 0; n < 5; n++) pace.wait(`address ${n}`);
  expect(pace.wait("device busy")).toBe(550);
});
