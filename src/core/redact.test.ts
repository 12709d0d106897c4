import { expect, test } from "vitest";
import { redact } from "./redact.ts";

test.each<[unknown, unknown]>([
  [{ token: "canary" }, { token: "***" }],
  [{ a: { b: [{ adminToken: "canary" }] } }, { a: { b: [{ adminToken: "***" }] } }],
  [{ "X-Service-Auth-Token": "canary" }, { "X-Service-Auth-Token": "***" }],
  [
    { Authorization: "canary", cookie: "canary" },
    { Authorization: "***", cookie: "***" },
  ],
  [{ mqtt_credentials: { username: "canary" } }, { mqtt_credentials: "***" }],
  [
    { headers: { host: "canary" }, body: "canary" },
    { headers: "***", body: "***" },
  ],
  [
    { private_key: "canary", apiKey: "canary" },
    { private_key: "***", apiKey: "***" },
  ],
  [
    { token_id: "t1", tokenId: "t1", tokens: 3, secret: null },
    { token_id: "t1", tokenId: "t1", tokens: 3, secret: null },
  ],
  ["bad token bb_0123456789abcdefCANARY here", "bad token bb_*** here"],
  [{ url: "postgres://me:canary@db/x" }, { url: "postgres://***@db/x" }],
  [
    ["mqtt://:canary@h", "http://host:80/a@b"],
    ["mqtt://***@h", "http://host:80/a@b"],
  ],
  [
    JSON.parse('{"__proto__":{"password":"canary"},"constructor":1}'),
    JSON.parse('{"__proto__":{"password":"***"},"constructor":1}'),
  ],
  [
    { n: 1, ok: true, none: null },
    { n: 1, ok: true, none: null },
  ],
])("%j is shown as %j", (value, expected) => {
  expect(JSON.stringify(redact(value))).toBe(JSON.stringify(expected));
});

test("a value nested without end is cut, not followed", () => {
  let deep: unknown = { password: "canary" };
  for (let level = 0; level < 10_000; level++) deep = [deep];
  expect(JSON.stringify(redact(deep))).not.toContain("canary");
});
