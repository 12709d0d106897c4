import { describe, expect, test } from "vitest";
import type { Account } from "#client/resources.ts";
import { changeOfPerson, levelsAbove, newPersonBody, type PersonForm, problemsOfPerson } from "./person-view.ts";

const FORM: PersonForm = {
  name: "Anna",
  mail: "anna@example.org",
  level: "user",
  sites: undefined,
  siteLevels: [],
  password: "",
};

describe("the form of a person", () => {
  test.each([
    [{}, ""],
    [{ name: " " }, "name"],
    [{ mail: "nobody" }, "mail"],
    [{ mail: "a b@example.org" }, "mail"],
    [{ sites: [] }, "sites"],
    [{ sites: ["s"] }, ""],
    [{ password: "short" }, "password"],
    [{ password: "anna@example.org" }, "password"],
    [{ password: "four plain words" }, ""],
    [{ name: "", mail: "", sites: [], password: "x" }, "name mail sites password"],
  ])("%j has the problems [%s]", (more, problems) => {
    expect(problemsOfPerson({ ...FORM, ...more }).join(" ")).toBe(problems);
  });

  test("gives a new person; without a password and with all sites, both are left out", () => {
    const body = { name: "Anna", mail: "anna@example.org", level: "user" };
    expect(newPersonBody({ ...FORM, name: " Anna " })).toEqual(body);
    const more = { sites: ["s"], password: "four plain words" };
    expect(newPersonBody({ ...FORM, ...more })).toEqual({ ...body, site_ids: ["s"], password: "four plain words" });
  });

  test.each([
    [{}, {}],
    [{ name: "Anna A" }, { name: "Anna A" }],
    [
      { mail: "other@example.org", level: "owner" },
      { mail: "other@example.org", level: "owner" },
    ],
    [{ sites: undefined }, { site_ids: null }],
    [{ sites: ["t", "s"] }, {}],
    [{ sites: ["s"] }, { site_ids: ["s"] }],
    [{ password: "four plain words" }, { password: "four plain words" }],
  ] as const)("%j changes only %j", (more, change) => {
    const before = { ...FORM, site_ids: ["s", "t"], site_levels: [] } as unknown as Account;
    expect(changeOfPerson(before, { ...FORM, sites: ["s", "t"], ...more })).toEqual(change);
  });

  const OWNER = { site_id: "s", level: "owner" } as const;
  const BEFORE = { ...FORM, level: "readonly", site_ids: ["s", "t"], site_levels: [OWNER] } as unknown as Account;
  const AS_BEFORE = { ...FORM, level: "readonly", sites: ["s", "t"], siteLevels: [OWNER] } as const;
  test.each([
    [{}, {}],
    [{ siteLevels: [] }, { site_levels: [] }],
    [{ siteLevels: [{ site_id: "s", level: "user" }] }, { site_levels: [{ site_id: "s", level: "user" }] }],
    // Without them the server would end them.
    [{ level: "user" }, { level: "user", site_levels: [OWNER] }],
    // It says nothing any more, and neither does that of a site that the person does not see.
    [{ level: "owner" }, { level: "owner", site_levels: [] }],
    [{ sites: ["t"] }, { site_ids: ["t"], site_levels: [] }],
    [{ sites: undefined }, { site_ids: null }],
  ] as const)("%j of somebody with more at a site changes only %j", (more, change) => {
    expect(changeOfPerson(BEFORE, { ...AS_BEFORE, ...more })).toEqual(change);
  });

  test("a new person has more at a site only where it is more", () => {
    const siteLevels = [OWNER, { site_id: "t", level: "readonly" }] as const;
    expect(newPersonBody({ ...AS_BEFORE, siteLevels }).site_levels).toEqual([OWNER]);
  });

  test.each([
    ["readonly", "owner", "user owner"],
    ["user", "user", ""],
    ["owner", "system", "installer vendor"],
  ] as const)("above %s, somebody who has %s at a site can give [%s] there", (level, held, levels) => {
    expect(levelsAbove(level, held).join(" ")).toBe(levels);
  });
});
