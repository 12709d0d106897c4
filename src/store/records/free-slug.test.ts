import { expect, test } from "vitest";
import { slugOf } from "#core/device/slug.ts";
import { freeSlug } from "./free-slug.ts";

// `1-9` are the ordinals 1 to 9 of the name Pump that are taken.
test.each([
  ["", "pump"],
  ["1", "pump-2"],
  ["2-5", "pump"],
  ["1-3 5-99", "pump-4"],
  ["1-15", "pump-16"],
  ["1-16", "pump-17"],
  ["1-99", "pump-100"],
  ["1-4097", "pump-4098"],
])("with [%s] taken the free one is %s", async (ranges, expected) => {
  const taken = takenOf("Pump", ranges);
  expect(await freeSlug("Pump", async (slug) => taken.has(slug))).toBe(expected);
});

test.each(["1-56 58-300", "1-16 18-40 42-5000", "1-31 33-63 65-127 129-1000"])(
  "with gaps among many, [%s], it is some free one",
  async (ranges) => {
    const taken = takenOf("Pump", ranges);
    expect(taken).not.toContain(await freeSlug("Pump", async (slug) => taken.has(slug)));
  },
);

test.each(["x".repeat(70), `${"x".repeat(61)}-y`, "🔋", "0190b6a0-0000-7000-8000-000000000001", "9-9"])(
  "devices called %j get one slug after the other",
  async (name) => {
    const taken = new Set<string>();
    for (let ordinal = 1; ordinal <= 150; ordinal++) {
      const slug = await freeSlug(name, async (asked) => taken.has(asked));
      expect(slug).toBe(slugOf(name, ordinal));
      taken.add(slug);
    }
  },
);

test("a hundred thousand devices of one name take few questions", async () => {
  const taken = takenOf("Pump", "1-100000");
  let questions = 0;
  const slug = await freeSlug("Pump", async (asked) => {
    questions++;
    return taken.has(asked);
  });
  expect(slug).toBe("pump-100001");
  expect(questions).toBeLessThan(50);
});

function takenOf(name: string, ranges: string): Set<string> {
  const taken = new Set<string>();
  for (const range of ranges.split(" ").filter(Boolean)) {
    const [from = 0, to = from] = range.split("-").map(Number);
    for (let ordinal = from; ordinal <= to; ordinal++) taken.add(slugOf(name, ordinal));
  }
  return taken;
}
