import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

const secret = new Secret("canary-7f3a");

test.each<[string, () => string]>([
  ["a template", () => `${secret}`],
  ["concatenation", () => ["token", secret].join(" ")],
  ["JSON", () => JSON.stringify({ token: secret })],
  ["inspection", () => inspect({ token: secret }, { depth: 9, showHidden: true })],
  ["its keys and values", () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret)])],
  ["a structured clone", () => JSON.stringify(structuredClone({ ...secret }))],
])("a secret stays hidden in %s", (_way, print) => {
  expect(print()).not.toContain("canary");
});

test("a secret says *** where its text would stand", () => {
  expect(`${secret}`).toBe("***");
  expect(JSON.stringify({ token: secret })).toBe('{"token":"***"}');
});

test("only reveal gives a secret back", () => {
  expect(secret.reveal()).toBe("canary-7f3a");
});
