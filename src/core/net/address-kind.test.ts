import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { addressKind, isPublicAddress } from "./address-kind.ts";

test.each([
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.127.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "0:0:0:0:0:ffff:c0a8:0101",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "100::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "168.63.129.16",
  "fd00:ec2::254",
  "not an address",
  "",
])("%s is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.169.0.1",
  "223.255.255.255",
  "::ffff:8.8.8.8",
  "2606:4700:4700::1111",
  "2a00:1450:4001::64",
])("%s is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["127.0.0.1", "loopback"],
  ["127.9.9.9", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["169.254.1.1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["169.254.169.254", "metadata"],
  ["::ffff:a9fe:a9fe", "metadata"],
  ["100.100.100.200", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["224.0.0.251", "multicast"],
  ["ff02::fb", "multicast"],
  ["10.1.2.3", "private"],
  ["192.168.178.1", "private"],
  ["100.64.0.1", "private"],
  ["fd12::1", "private"],
  ["0.0.0.0", "reserved"],
  ["::", "reserved"],
  ["::127.0.0.1", "reserved"],
  ["64:ff9b::7f00:1", "reserved"],
  ["255.255.255.255", "reserved"],
  ["9.9.9.9", "public"],
  ["2606:4700::1", "public"],
])("%s is %s", (text, kind) => {
  const address = parseAddress(text);
  expect(address && addressKind(address).kind).toBe(kind);
});
