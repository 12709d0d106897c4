import { expect, test } from "vitest";
import { screenAddress } from "./screen-address.ts";

test.each([
  ["/", "/"],
  ["/sites/a/devices", "/sites/a/devices"],
  ["/sites/a/explore?from=1&to=2", "/sites/a/explore?from=1&to=2"],
  ["/sites/a%2Fb", "/sites/a%2Fb"],
  ["/sites/https:%2F%2Fevil.example", "/sites/https:%2F%2Fevil.example"],
  ["/sites/a/devices#below", "/sites/a/devices"],
])("after %s the page goes on at %s", (given, address) => {
  expect(screenAddress(given)).toBe(address);
});

test.each([
  "//evil.example",
  "///evil.example/sites",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  " //evil.example",
  "https://evil.example/sites",
  "https:evil.example",
  "https:/sites",
  "javascript:alert(1)",
  "JavaScript://sites/%0aalert(1)",
  "data:text/html,sites",
  "sites",
  "",
  "/.//evil.example",
  "/sites/..//evil.example",
  "/%2e//evil.example",
  "/%2F%2Fevil.example",
  "%2F%2Fevil.example",
  "/%5Cevil.example",
  "/nowhere",
  "/v3/sites",
  "/docs",
  "/sign-in",
  "/sign-in/return?code=stolen&state=x",
  `/sites/${"a".repeat(2_000)}`,
  undefined,
  null,
  7,
  ["/sites"],
])("nothing goes on at %j", (given) => {
  expect(screenAddress(given)).toBeUndefined();
});
