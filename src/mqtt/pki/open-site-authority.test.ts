import { execFileSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import { openSiteAuthority } from "./open-site-authority.ts";

const NOW = Date.UTC(2026, 10, 14);
const NAMES = ["localhost", "gateway.local", "127.0.0.1", "::1", "2001:db8::ff:10", "::ffff:10.1.2.3"];
const at = (days: number) => () => instant(NOW + days * DAY_MS);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "busbar-pki-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the authority is made once and found again", () => {
  const pki = join(folder, "pki");
  const first = openSiteAuthority(pki, at(0)).certificate;
  expect(openSiteAuthority(pki, at(500)).certificate).toBe(first);
  expect(statSync(pki).mode & 0o777).toBe(0o700);
  expect(statSync(join(pki, "ca.key")).mode & 0o777).toBe(0o400);
});

test("two sites have two authorities, and neither accepts the other's devices", () => {
  const [one, two] = ["a", "b"].map((name) => openSiteAuthority(join(folder, name), at(0)));
  const device = new X509Certificate(one?.issueDeviceCertificate("HW1").certificate ?? "");
  expect(device.checkIssued(new X509Certificate(one?.certificate ?? ""))).toBe(true);
  expect(device.checkIssued(new X509Certificate(two?.certificate ?? ""))).toBe(false);
  expect(device.verify(new X509Certificate(two?.certificate ?? "").publicKey)).toBe(false);
});

test("a device's certificate carries its hardware id, is no authority and serves clients only", () => {
  const authority = openSiteAuthority(folder, at(0));
  const { certificate, caChain, fingerprint, privateKey } = authority.issueDeviceCertificate("V0123456789ABCDEF");
  const parsed = new X509Certificate(certificate);
  expect(parsed.subject).toBe("O=Busbar\nCN=V0123456789ABCDEF");
  expect(parsed.ca).toBe(false);
  expect(parsed.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(parsed.fingerprint256.replaceAll(":", "").toLowerCase()).toBe(fingerprint);
  expect(parsed.verify(new X509Certificate(caChain).publicKey)).toBe(true);
  expect(parsed.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
  expect(Date.parse(parsed.validTo)).toBe(NOW + 3650 * DAY_MS);
});

test("no two certificates share a serial number or a key", () => {
  const authority = openSiteAuthority(folder, at(0));
  const made = Array.from(
    { length: 50 },
    () => new X509Certificate(authority.issueDeviceCertificate("HW1").certificate),
  );
  expect(new Set(made.map(({ serialNumber }) => serialNumber)).size).toBe(50);
  expect(new Set(made.map(({ publicKey }) => publicKey.export({ type: "spki", format: "pem" }))).size).toBe(50);
});

test.each([["HW/1"], ["+"], ["#"], [""], ["a\nCN=HW2"], ["x".repeat(65)]])("no certificate is issued for %j", (id) => {
  const authority = openSiteAuthority(folder, at(0));
  expect(() => authority.issueDeviceCertificate(id)).toThrow();
});

test("the server's certificate holds for its names and addresses and no others", () => {
  const { certificate } = openSiteAuthority(folder, at(0)).serverIdentity(NAMES);
  const parsed = new X509Certificate(certificate);
  expect(NAMES.map((name) => parsed.checkHost(name) ?? parsed.checkIP(name))).toEqual(NAMES);
  expect(parsed.checkHost("elsewhere.local")).toBeUndefined();
  expect(parsed.checkIP("127.0.0.2")).toBeUndefined();
  expect(parsed.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
});

test.each([
  ["the next day", 1, NAMES, true],
  ["31 days before its end", 366, NAMES, true],
  ["29 days before its end", 368, NAMES, false],
  ["when a name was added", 1, [...NAMES, "new.local"], false],
  ["when a name was removed", 1, NAMES.slice(1), false],
])("%s the server's certificate of day %i is kept: %j %s", (_when, day, names, isKept) => {
  const before = openSiteAuthority(folder, at(0)).serverIdentity(NAMES);
  const after = openSiteAuthority(folder, at(day)).serverIdentity(names);
  expect(after.certificate === before.certificate).toBe(isKept);
  expect(readFileSync(join(folder, "server.crt"), "utf8")).toBe(after.certificate);
});

test("a certificate without its key is an error, not a new authority", () => {
  openSiteAuthority(folder, at(0));
  rmSync(join(folder, "ca.key"));
  expect(() => openSiteAuthority(folder, at(0))).toThrow(/restore the key/);
});

test("a key of another certificate is an error", () => {
  openSiteAuthority(join(folder, "a"), at(0));
  openSiteAuthority(join(folder, "b"), at(0));
  rmSync(join(folder, "a", "ca.key"));
  writeFileSync(join(folder, "a", "ca.key"), readFileSync(join(folder, "b", "ca.key")));
  expect(() => openSiteAuthority(join(folder, "a"), at(0))).toThrow(/do not belong together/);
});

test("years from 2050 on are written with four digits", () => {
  const authority = openSiteAuthority(folder, () => instant(Date.UTC(2045, 0, 1)));
  const { certificate } = authority.issueDeviceCertificate("HW1");
  expect(new X509Certificate(certificate).validTo).toContain("2054");
});

if (existsSync("/usr/bin/openssl")) {
  test("OpenSSL finds both kinds of certificate good for their purpose only", () => {
    const authority = openSiteAuthority(folder, at(0));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const device = file("device.pem", authority.issueDeviceCertificate("HW1").certificate);
    const server = file("srv.pem", authority.serverIdentity(NAMES).certificate);
    const verify = (purpose: string, path: string): boolean => {
      const ca = join(folder, "ca.crt");
      const options = ["-x509_strict", "-attime", String(NOW / 1000), "-CAfile", ca, "-purpose", purpose, path];
      try {
        return execFileSync("/usr/bin/openssl", ["verify", ...options], { stdio: "pipe" }).includes("OK");
      } catch {
        return false;
      }
    };
    expect([verify("sslclient", device), verify("sslserver", device)]).toEqual([true, false]);
    expect([verify("sslserver", server), verify("sslclient", server)]).toEqual([true, false]);
  });
}
