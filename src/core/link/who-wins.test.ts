import { describe, expect, test } from "vitest";
import { overruledFields, rebased } from "./who-wins.ts";

describe("what waited in the cloud is overruled", () => {
  const rename = (current: object, name: unknown) =>
    overruledFields({ base: { name }, current: { ...current }, wanted: { name: "new" } });

  test.each([
    ["nothing changed on the gateway", { name: "old" }, []],
    ["the gateway changed the same field", { name: "theirs" }, ["name"]],
    ["the gateway wants the same", { name: "new" }, []],
    ["the gateway changed another field", { name: "old", slug: "theirs" }, []],
    ["the record is gone", {}, ["name"]],
    ["the gateway has an equal object", { name: { text: "old" } }, [], { text: "old" }],
  ])("%s", (_, current, fields, base: unknown = "old") => {
    expect(rename(current, base)).toEqual(fields);
  });

  test("a revision of a bucket that moved on, also from none", () => {
    const write = (base: number | null, current: number | null) =>
      overruledFields({
        base: { network: base },
        current: { network: current },
        wanted: {},
      });
    expect([write(1, 1), write(1, 2), write(null, 2), write(null, null)]).toEqual([[], ["network"], ["network"], []]);
  });
});

test("a change behind one that was made is based on its effect, in the fields of both", () => {
  expect(rebased({ name: "old", slug: "a" }, { name: "old" }, { name: "first" })).toEqual({ name: "first", slug: "a" });
});
