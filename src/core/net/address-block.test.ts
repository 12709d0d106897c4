import { expect, test } from "vitest";
import { addressBlock } from "./address-block.ts";

test.each([
  ["10.0.0.5", "10.0.0.5"],
  ["::ffff:10.0.0.5", "10.0.0.5"],
  ["2001:db8:1:2::7", "20010db800010002::/64"],
  ["2001:db8:1:2:ffff::", "20010db800010002::/64"],
  ["2001:db8:1:3::7", "20010db800010003::/64"],
  ["::1", "0000000000000000::/64"],
  ["fe80::1%eth0", "fe80000000000000::/64"],
  ["unknown", "unknown"],
])("%s belongs to %s", (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
