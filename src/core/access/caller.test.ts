import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Access,
  accessOf,
  atLeast,
  changedAccess,
  covers,
  highestLevel,
  levelAt,
  lowestLevel,
  narrow,
  seesSite,
  sitesWith,
} from "./caller.ts";
import { ACCESS_LEVELS, type AccessLevel, allows } from "./level.ts";

/** `readonly a b; a=owner`: the level, the sites (none named: all), and where it is more. */
function access(text: string): Access {
  const [[level, ...sites] = [], more = []] = text.split(";").map((part) => part.trim().split(" ").filter(Boolean));
  const siteLevels = new Map(more.map((one) => one.split("=") as [string, AccessLevel]));
  return accessOf({ level: level as AccessLevel, sites: sites.length === 0 ? "all" : new Set(sites), siteLevels });
}

const SITES = ["a", "b", "c"];

function show({ level, sites, siteLevels }: Access): string {
  const more = [...(siteLevels ?? [])].map(([site, one]) => `${site}=${one}`).join(" ");
  return [[level, ...(sites === "all" ? [] : sites)].join(" "), more].filter(Boolean).join("; ");
}

test.each([
  ["owner a b", "a", "owner a b"],
  ["readonly a b; a=owner", "a", "owner a"],
  ["readonly a b; a=owner", "b", "readonly a b"],
  ["readonly a b c; a=owner b=vendor", "a", "owner a b"],
  ["readonly a b c; a=owner b=vendor", "b", "vendor b"],
  ["readonly; a=owner", "a", "owner a"],
  ["readonly; a=owner", "z", "readonly"],
])("%s, narrowed to site %s, is %s", (given, site, expected) => {
  expect(show(narrow(access(given), site))).toBe(expected);
});

test.each([
  ["owner a b", "user", "owner a b"],
  ["owner a b", "vendor", "owner a b"],
  ["readonly a b; a=owner", "readonly", "readonly a b; a=owner"],
  ["readonly a b; a=owner", "user", "owner a"],
  ["readonly a b c; a=owner b=vendor", "user", "owner a b; b=vendor"],
  ["readonly; a=owner", "owner", "owner a"],
])("%s, where it is at least %s, is %s", (given, level, expected) => {
  expect(show(atLeast(access(given), level as AccessLevel))).toBe(expected);
});

test("who has a level nowhere keeps the highest one, and no site", () => {
  const left = atLeast(access("readonly a b; a=owner"), "installer");
  expect([left.level, left.sites, left.siteLevels]).toEqual(["owner", new Set(), undefined]);
});

test.each([
  ["readonly a b; a=owner", { level: "user" }, "user a b"],
  ["readonly a b; a=owner", { sites: ["b", "c"] }, "readonly b c"],
  ["readonly a b; a=owner", { sites: ["a", "c"] }, "readonly a c; a=owner"],
  ["readonly a b; a=owner", { more: "b=user" }, "readonly a b; b=user"],
  ["readonly a b; a=owner", { level: "owner", more: "a=user b=installer" }, "owner a b; b=installer"],
  ["readonly a b; a=owner", {}, "readonly a b; a=owner"],
] as const)("%s, changed by %j, is %s", (given, change: object, expected) => {
  const { level, sites, more } = change as { level?: AccessLevel; sites?: readonly string[]; more?: string };
  const siteLevels =
    more === undefined ? undefined : new Map(more.split(" ").map((one) => one.split("=") as [string, AccessLevel]));
  const after = changedAccess(access(given), {
    ...(level && { level }),
    ...(sites && { sites: new Set(sites) }),
    ...(siteLevels && { siteLevels }),
  });
  expect(show(after)).toBe(expected);
});

const anyLevel = fc.constantFrom(...ACCESS_LEVELS);
const anyAccess = fc
  .record({
    level: anyLevel,
    sites: fc.option(fc.subarray(SITES), { nil: undefined }),
    siteLevels: fc.dictionary(fc.constantFrom(...SITES), anyLevel),
  })
  .map(({ level, sites, siteLevels }) =>
    accessOf({
      level,
      sites: sites === undefined ? "all" : new Set(sites),
      siteLevels: new Map(Object.entries(siteLevels)),
    }),
  );
/** Every site that is named anywhere, and one of those that are not. */
const EVERY = [...SITES, "z"];
const rank = (who: Access, site: string) => (seesSite(who, site) ? ACCESS_LEVELS.indexOf(levelAt(who, site)) : -1);

test("nothing that is made of an access is more than it at any site, also for who looks only at the level", () => {
  fc.assert(
    fc.property(anyAccess, anyLevel, fc.constantFrom(...EVERY), (who, level, site) => {
      const made = [...(seesSite(who, site) ? [narrow(who, site)] : []), atLeast(who, level)];
      for (const one of made) {
        for (const at of EVERY) {
          expect(rank(one, at)).toBeLessThanOrEqual(rank(who, at));
          if (seesSite(one, at)) expect(ACCESS_LEVELS.indexOf(one.level)).toBeLessThanOrEqual(rank(who, at));
        }
      }
      if (seesSite(who, site)) expect(narrow(who, site).level).toBe(levelAt(who, site));
    }),
  );
});

test("the sites with a level, the lowest and the highest are what one finds site by site", () => {
  fc.assert(
    fc.property(anyAccess, anyLevel, (who, level) => {
      const sites = sitesWith(who, level);
      for (const at of EVERY) {
        const has = seesSite(who, at) && allows(levelAt(who, at), level);
        expect(sites === "all" || sites.has(at)).toBe(has);
      }
      const seen = SITES.filter((at) => seesSite(who, at));
      for (const at of seen) {
        expect(allows(highestLevel(who), levelAt(who, at))).toBe(true);
        expect(allows(levelAt(who, at), lowestLevel(who, new Set(seen)))).toBe(true);
      }
    }),
  );
});

test("one covers another if it has at every site at least what the other has", () => {
  fc.assert(
    fc.property(anyAccess, anyAccess, (outer, inner) => {
      expect(covers(outer, inner)).toBe(EVERY.every((at) => rank(outer, at) >= rank(inner, at)));
    }),
  );
});

test.each([
  ["owner", "readonly", true],
  ["readonly", "owner", false],
  ["owner a", "readonly", false],
  ["readonly", "readonly; a=owner", false],
  ["readonly; a=vendor", "readonly; a=owner", true],
  ["readonly; a=owner", "readonly; a=vendor", false],
  ["readonly; a=owner", "owner a", true],
  ["readonly; a=owner", "owner a b", false],
])("%s covers %s: %s", (outer, inner, expected) => {
  expect(covers(access(outer), access(inner))).toBe(expected);
});
