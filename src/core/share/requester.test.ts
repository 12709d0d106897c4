import { expect, test } from "vitest";
import { addressKey, requesterOf } from "./requester.ts";

test.each([
  ["10.0.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["2001:db8:0:1::5", "20010db800000001::/64"],
  ["2001:db8:0:1:ffff::9", "20010db800000001::/64"],
  ["fe80::1%eth0", "fe80000000000000::/64"],
  ["::1", "0::/64"],
  ["no:address", "unknown"],
])("the share of %s is that of %s", (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test("a token has its own share wherever it calls from, and no address can take it", () => {
  expect(requesterOf({ tokenId: "t1" }, "10.0.0.1")).toEqual({ kind: "token", key: "token t1" });
  expect(requesterOf({ tokenId: "" }, "10.0.0.1")).toEqual({ kind: "address", key: "address 10.0.0.1" });
});
