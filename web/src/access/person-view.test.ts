import { describe, expect, test } from "vitest";
import type { Account } from "#client/resources.ts";
import { changeOfPerson, newPersonBody, type PersonForm, problemsOfPerson } from "./person-view.ts";

const FORM: PersonForm = { name: "Anna", mail: "anna@example.org", level: "user", sites: undefined, password: "" };

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
    const before = { ...FORM, site_ids: ["s", "t"] } as unknown as Account;
    expect(changeOfPerson(before, { ...FORM, sites: ["s", "t"], ...more })).toEqual(change);
  });
});
