import { expect, test } from "vitest";
import { parseDevice } from "./device-row.ts";
import { parseSite } from "./site-row.ts";

const NAME = "n".repeat(5_000_000);
const ROW = { id: "i", name: NAME, timezone: "UTC", location: null, created_at: 0, updated_at: 0 };
const DEVICE = { site_id: "s", slug: "d", type: "STANDALONE", blueprint_id: null, parent_id: null, child_type: null };

test("a name that was stored before names had a limit is cut", () => {
  expect(parseSite({ noteDamage: () => {} } as never, ROW).name).toHaveLength(200);
  expect(parseDevice({ ...ROW, ...DEVICE }).name).toHaveLength(200);
});
