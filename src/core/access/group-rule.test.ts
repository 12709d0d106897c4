import fc from "fast-check";
import { expect, test } from "vitest";
import { type Access, levelAt, seesSite } from "./caller.ts";
import { accessOfGroups, type GroupRule, parseGroupRule } from "./group-rule.ts";
import { ACCESS_LEVELS, allows } from "./level.ts";

function rules(text: string): readonly GroupRule[] {
  return text
    .split(",")
    .filter(Boolean)
    .map((one) => {
      const rule = parseGroupRule(one);
      if ("problem" in rule) throw new Error(rule.problem);
      return rule;
    });
}

function show(access: Access | undefined): string {
  if (access === undefined) return "nothing";
  const { level, sites, siteLevels } = access;
  const more = [...(siteLevels ?? [])].map(([site, one]) => `${site}=${one}`).join(" ");
  return [[level, ...(sites === "all" ? ["everywhere"] : sites)].join(" "), more].filter(Boolean).join("; ");
}

test.each([
  ["admins=owner", { group: "admins", level: "owner", siteId: undefined }],
  [" energy team = user @ s1 ", { group: "energy team", level: "user", siteId: "s1" }],
  ["*=readonly", { group: "*", level: "readonly", siteId: undefined }],
  ["cn=ops;ou=site=installer", { group: "cn=ops;ou=site", level: "installer", siteId: undefined }],
  ["ops@example.org=user@s1", { group: "ops@example.org", level: "user", siteId: "s1" }],
])("%s is a rule", (text, expected) => {
  expect(parseGroupRule(text)).toEqual(expected);
});

test.each([
  "",
  "admins",
  "=owner",
  " =owner",
  "admins=",
  "admins=root",
  "admins=system",
  "admins=owner@",
  "admins=owner@a/b",
  "admins=Owner",
])("%j is no rule", (text) => {
  expect(parseGroupRule(text)).toEqual({ problem: expect.stringContaining(`has "${text}"; a rule is GROUP=LEVEL`) });
});

test.each([
  ["a=owner", "", "nothing"],
  ["a=owner", "b A", "nothing"],
  ["a=owner", "a", "owner everywhere"],
  ["a=owner,b=user", "a b", "owner everywhere"],
  ["a=user,b=owner", "a b", "owner everywhere"],
  ["a=user@s1", "a", "user s1"],
  ["a=user@s1,a=user@s2", "a", "user s1 s2"],
  ["a=user@s1,b=owner@s1", "a b", "owner s1"],
  ["a=user@s1,b=owner@s2", "a b", "user s1 s2; s2=owner"],
  ["a=user@s1,b=readonly", "a b", "readonly everywhere; s1=user"],
  ["a=user@s1,b=owner", "a b", "owner everywhere"],
  ["*=readonly,b=owner@s1", "", "readonly everywhere"],
  ["*=readonly,b=owner@s1", "b", "readonly everywhere; s1=owner"],
  ["", "a", "nothing"],
])("by the rules %s, the groups [%s] give: %s", (given, groups, expected) => {
  expect(show(accessOfGroups(rules(given), groups.split(" ").filter(Boolean)))).toBe(expected);
});

test("a group that is called like the word for everybody is no other group", () => {
  expect(show(accessOfGroups(rules("*=readonly"), ["*"]))).toBe("readonly everywhere");
});

test("at each site a person has the highest level that a rule of their groups gives there, and no more", () => {
  const rule = fc.record({
    group: fc.constantFrom("a", "b", "c"),
    level: fc.constantFrom(...ACCESS_LEVELS.filter((level) => level !== "system")),
    siteId: fc.constantFrom(undefined, "s1", "s2", "s3"),
  });
  const groups = fc.subarray(["a", "b", "c"]);
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), groups, (given, held) => {
      const access = accessOfGroups(given, held);
      for (const site of ["s1", "s2", "s3", "other"]) {
        const there = given.filter((one) => held.includes(one.group) && [undefined, site].includes(one.siteId));
        const expected = ACCESS_LEVELS.findLast((level) => there.some((one) => one.level === level));
        const isSeen = access !== undefined && seesSite(access, site);
        expect(isSeen ? levelAt(access, site) : undefined).toBe(expected);
        if (isSeen) expect(allows(levelAt(access, site), access.level)).toBe(true);
      }
    }),
  );
});
