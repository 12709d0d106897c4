import { describe, expect, test } from "vitest";
import { OPERATIONS } from "#client/operations.ts";
import type { Token } from "#client/resources.ts";
import { parseQuery } from "#web/router/query.ts";
import { ACTIONS, actionName, operationsOf } from "./actions.ts";
import { countAuditFilters, nameInDetails, readAuditFilter, shortId, spellOperation, targetsOf } from "./audit-view.ts";
import { describeAgent } from "./describe-agent.ts";
import {
  grantableLevels,
  grantableSites,
  isPersonOfCloud,
  mayGrantAllSites,
  ownerOr,
  problemsOfToken,
  siteNames,
  sortTokens,
  tokenBody,
  tokenState,
} from "./token-view.ts";

const NORTH = { site_id: "north", level: "owner" } as const;
const NOW = Date.parse("2026-11-16T12:00:00Z");
const token = (name: string, more: Partial<Token> = {}): Token => ({
  id: name,
  name,
  level: "owner",
  site_ids: null,
  created_at: "2026-11-01T00:00:00Z",
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  account_id: null,
  from_cloud: false,
  ...more,
});

describe("tokens", () => {
  const old = token("a", { expires_at: "2026-11-16T12:00:00Z" });
  const revoked = token("b", { revoked_at: "2026-11-02T00:00:00Z", expires_at: "2026-11-03T00:00:00Z" });

  test("are active until they expire or are revoked, and those that work come first", () => {
    expect([old, revoked, token("c")].map((one) => tokenState(one, NOW))).toEqual(["expired", "revoked", "active"]);
    expect(tokenState(old, NOW - 1)).toBe("active");
    expect(sortTokens([old, revoked, token("z"), token("c")], NOW).map(({ name }) => name)).toEqual([
      "c",
      "z",
      "a",
      "b",
    ]);
  });

  test("are granted at most with the own level and sites", () => {
    expect(grantableLevels("owner")).toEqual(["readonly", "user", "owner"]);
    expect(grantableLevels("system")).not.toContain("system");
    const holder = (site_ids: readonly string[] | null) => ({ level: "user", site_ids, site_levels: [NORTH] }) as const;
    const may = [null, ["s"]].map((ids) => mayGrantAllSites(holder(ids), "user"));
    expect([...may, mayGrantAllSites(holder(null), "owner")]).toEqual([true, false, false]);
    expect(grantableSites(holder(null), "user", undefined)).toBeUndefined();
    expect(grantableSites(holder(null), "owner", undefined)).toEqual([]);
    expect(grantableSites(holder(null), "owner", ["north", "south"])).toEqual(["north"]);
    expect([ownerOr("readonly"), ownerOr("vendor")]).toEqual(["owner", "vendor"]);
  });

  test("of the cloud stand for a person, or for a program", () => {
    const some = [token("a", { from_cloud: true, account_id: "a" }), token("b", { from_cloud: true })];
    // An own person of the gateway has no token in the list, and a token of one is none of the cloud.
    expect([...some, token("c", { account_id: "a" })].map(isPersonOfCloud)).toEqual([true, false, false]);
  });

  test("need a name and at least one site", () => {
    const wanted = { name: " ", level: "user", sites: [], lifetime: "never", ofInstallation: false } as const;
    expect(problemsOfToken(wanted)).toEqual(["name", "sites"]);
    expect(problemsOfToken({ ...wanted, name: "x", sites: undefined })).toEqual([]);
    expect(tokenBody({ ...wanted, name: "x", sites: undefined, ofInstallation: true })).toMatchObject({
      of_installation: true,
    });
    expect(tokenBody({ ...wanted, name: " x ", sites: undefined })).toEqual({ name: "x", level: "user" });
    expect(tokenBody({ ...wanted, name: "x", sites: ["s"], lifetime: "30d" })).toEqual({
      name: "x",
      level: "user",
      site_ids: ["s"],
      expires_in: "30d",
    });
  });

  test("name the sites that they see", () => {
    const sites = [{ id: "s", name: "Yard" }];
    expect(siteNames(null, sites)).toBeUndefined();
    expect(siteNames(["s", "other"], sites)).toEqual({ names: ["Yard"], unknown: 1 });
  });
});

test.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Chrome, Linux",
  ],
  ["Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"],
  ["Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox, Android"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1", "Safari, iPhone"],
  ["something", undefined],
])("%s is %s", (agent, expected) => {
  expect(describeAgent(agent)).toBe(expected);
});

describe("the audit log", () => {
  test("takes what it understands from the address", () => {
    const query = parseQuery(
      "?outcome.in=REFUSED,ODD&at.gte=yesterday&at.lt=2026-11-16T00:00:00Z&action.in=a,b&offset=-5",
    );
    expect(readAuditFilter(query)).toMatchObject({
      "outcome.in": ["REFUSED"],
      "at.gte": undefined,
      "at.lt": "2026-11-16T00:00:00Z",
      "action.in": ["a", "b"],
      order: undefined,
      offset: 0,
    });
    expect(countAuditFilters(query)).toBe(4);
  });

  test("says what was done in words; an operation that nobody has named is spelt out", () => {
    expect(actionName("createToken")).toBe("Create a token");
    expect(actionName("putConfigurationBucket")).toBe(actionName("putConfiguration"));
    expect(spellOperation("listWebhookDeliveries")).toBe("List webhook deliveries");
    expect(operationsOf("updateSite")).toEqual(["updateSite", "updateOnlySite"]);
  });

  test("names the narrowest target first, and what was deleted by its own words", () => {
    expect(targetsOf({ target: { site_id: "s", device_id: "d" } })).toEqual([
      { kind: "device", id: "d" },
      { kind: "site", id: "s" },
    ]);
    expect([nameInDetails({ details: { name: "Rig" } }), nameInDetails({ details: { name: 5 } })]).toEqual([
      "Rig",
      undefined,
    ]);
    expect(shortId("01a1e303-c322-73f2-8c3c-7d2773c7dfa0")).toBe("01a1e303-c322…");
  });
});

test("whatever changes something has words in the audit log, and no word is for what there is not", () => {
  const known = new Set(ACTIONS.flatMap(operationsOf));
  const CHANGES_NOTHING =
    /^(check|dryRun|preview|validate|render|offer|try|test)|^(getTimeseries|putNotificationsRead)$/;
  const changing = Object.entries(OPERATIONS).filter(([, call]) => !call.startsWith("GET "));
  const names = changing.map(([name]) => name);
  expect(names.filter((name) => !(known.has(name) || CHANGES_NOTHING.test(name)))).toEqual([]);
  // The program writes these itself, and one is of a refused call that reads.
  const others = new Set(["firstStart", "various", "getTerminalSignIn"]);
  expect(ACTIONS.filter((name) => !(name in OPERATIONS || others.has(name)))).toEqual([]);
});
