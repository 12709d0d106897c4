import { expect, test } from "vitest";
import { literalAddress } from "./literal-address.ts";

test.each([
  ["http://127.0.0.1/", "127.0.0.1"],
  ["http://2130706433/", "127.0.0.1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://0177.0.0.1/", "127.0.0.1"],
  ["http://[::1]:8080/", "::1"],
  ["http://localhost:9/", "127.0.0.1"],
  ["http://LOCALHOST./", "127.0.0.1"],
  ["http://a.localhost/", "127.0.0.1"],
  ["https://example.com/", undefined],
  ["https://localhost.example.com/", undefined],
])("%s names the address %s", (url, address) => {
  expect(literalAddress(new URL(url))).toBe(address);
});
