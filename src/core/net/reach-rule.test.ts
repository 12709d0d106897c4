import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { mayLookUp, mayReach, parseReachRule, type ReachRule, reachRulesFor } from "./reach-rule.ts";

const parsed = (text: string): ReachRule => {
  const rule = parseReachRule(text);
  if ("problem" in rule) throw new Error(rule.problem);
  return rule;
};
const rules = (text: string) => (text === "" ? [] : text.split(" ").map(parsed));
/** `name>address:port`, or `address:port` for what the script wrote as an address. */
const endpoint = (text: string) => {
  const [, name, host = "", port] = /^(?:(.*)>)?(.*):(\d+)$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === undefined) throw new Error(`${host} is no address`);
  return { name, address, port: Number(port) };
};
const OWN = ["192.168.1.2", "2001:470::2", "127.0.0.1"].flatMap((text) => parseAddress(text) ?? []);

test.each([
  ["", "10.0.0.5:502", false],
  ["10.0.0.5", "10.0.0.5:502", true],
  ["10.0.0.5:502", "10.0.0.5:502", true],
  ["10.0.0.5:502", "10.0.0.5:503", false],
  ["10.0.0.5:502", "10.0.0.6:502", false],
  ["10.0.0.0/24:502 8.8.8.8", "10.0.0.9:502", true],
  ["10.0.0.5", "::ffff:10.0.0.5:502", true],
  ["private", "192.168.9.9:80", true],
  ["private", "fd00::9:80", true],
  ["private", "9.9.9.9:80", false],
  ["public", "9.9.9.9:80", true],
  ["public", "10.0.0.1:80", false],
  ["private:502", "10.0.0.1:80", false],
  ["[fd00::1]:502", "fd00::1:502", true],
  ["[fd00::]/8:502", "fd00::7:502", true],
  ["fd00::1", "fd00::1:502", true],
  // Names count as written, for ordinary addresses.
  ["inverter.lan", "inverter.lan>10.0.0.5:502", true],
  ["Inverter.LAN:502", "inverter.lan>10.0.0.5:502", true],
  ["inverter.lan", "other.lan>10.0.0.5:502", false],
  ["inverter.lan", "10.0.0.5:502", false],
  ["*.example.com", "api.example.com>9.9.9.9:443", true],
  ["*.example.com", "example.com>9.9.9.9:443", false],
  ["*.example.com", "badexample.com>9.9.9.9:443", false],
  ["10.0.0.5", "inverter.lan>10.0.0.5:502", true],
  // Special addresses: only by a rule inside their range.
  ["0.0.0.0/0 ::/0 public private", "127.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 public private", "::1:80", false],
  ["0.0.0.0/0 ::/0 public private", "169.254.1.1:80", false],
  ["0.0.0.0/0 ::/0 public private", "169.254.169.254:80", false],
  ["0.0.0.0/0 ::/0 public private", "224.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 public private", "0.0.0.0:80", false],
  ["0.0.0.0/0 ::/0 public private", "fe80::1:80", false],
  ["0.0.0.0/0 ::/0 public private", "::ffff:127.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 public private", "168.63.129.16:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", ":::80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "0.0.0.0:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "::ffff:0.0.0.0:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "::ffff:127.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "::127.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "64:ff9b::127.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "64:ff9b::169.254.169.254:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "64:ff9b::a00:1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "64:ff9b:1::1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "2002:7f00:1:::80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "2002:a9fe:a9fe:::80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "::ffff:0:127.0.0.1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "100::1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "fec0::1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "4000::1:80", false],
  ["0.0.0.0/0 ::/0 [::]/0 ::/1 ::/96 0.0.0.0/8 public private", "2001::1:80", false],
  ["64:ff9b::/96", "64:ff9b::8.8.8.8:80", true],
  ["64:ff9b::/96", "64:ff9b::127.0.0.1:80", false],
  ["64:ff9b::127.0.0.1", "64:ff9b::127.0.0.1:80", true],
  ["2002::/16", "2002:7f00:1:::80", false],
  ["::", ":::80", true],
  ["127.0.0.0/8 ::1", ":::80", false],
  ["127.0.0.0/8 ::1", "0.0.0.0:80", false],
  ["0.0.0.0", "0.0.0.0:80", true],
  ["[::]/0", "2606:4700::1:80", true],
  ["[::]/0", "fd00::9:80", true],
  ["127.0.0.1:1502", "127.0.0.1:1502", true],
  ["127.0.0.1:1502", "127.0.0.1:8080", false],
  ["127.0.0.0/8", "127.1.2.3:80", true],
  ["126.0.0.0/7", "127.0.0.1:80", false],
  ["::1", "::1:80", true],
  ["169.254.0.0/16", "169.254.7.7:80", true],
  ["169.254.0.0/16", "169.254.169.254:80", false],
  ["169.254.169.254", "169.254.169.254:80", true],
  // A name that turns out to be this machine gains nothing; localhost says what it is.
  ["inverter.lan", "inverter.lan>127.0.0.1:80", false],
  ["inverter.lan", "inverter.lan>169.254.169.254:80", false],
  ["localhost:1502", "localhost>127.0.0.1:1502", true],
  ["localhost", "localhost>169.254.0.1:80", false],
  // The gateway's own addresses: exactly or not at all.
  ["private public 192.168.1.0/24 gateway.lan", "gateway.lan>192.168.1.2:8080", false],
  ["public", "2001:470::2:8080", false],
  ["192.168.1.2", "192.168.1.2:8080", true],
  ["2001:470::2", "2001:470::2:8080", true],
])("with [%s], may [%s] be reached: %s", (given, to, isAllowed) => {
  expect(mayReach(rules(given), endpoint(to), OWN)).toBe(isAllowed);
});

test.each([
  ["", "a.lan", false],
  ["b.lan", "a.lan", false],
  ["a.lan", "a.lan", true],
  ["a.lan:502", "a.lan", false],
  ["*.lan:80", "a.lan", true],
  ["10.0.0.5", "a.lan", true],
  ["public:443", "a.lan", false],
])("with [%s], is %s looked up for port 80: %s", (given, name, isLookedUp) => {
  expect(mayLookUp(rules(given), name, 80)).toBe(isLookedUp);
});

test("a rule for a device is for that device alone, by slug or by id", () => {
  const all = rules("battery-1=10.0.0.5 0196a=10.0.0.6 10.0.0.7");
  const targets = (id: string, slug: string) => reachRulesFor(all, { id, slug }).length;
  expect([
    targets("x", "battery-1"),
    targets("0196a", "meter"),
    targets("0196a", "battery-1"),
    targets("y", "z"),
  ]).toEqual([2, 2, 3, 1]);
});

test.each([
  "",
  "=10.0.0.1",
  "a b=10.0.0.1",
  "10.0.0.256",
  "10.0.0.0/33",
  "10.0.0.1:0",
  "10.0.0.1:70000",
  "10.0.0.1:",
  "tcp://10.0.0.1",
  "host name",
  "[::1",
  "*",
  "*.",
  "::1:502:x",
])("%j is no rule", (text) => {
  expect(parseReachRule(text)).toEqual({ problem: expect.stringContaining("has ") });
});
