import { expect, test } from "vitest";
import { heldLevel } from "./held-level.ts";

const reader = { level: "readonly", site_levels: [] } as const;
const owner = {
  level: "readonly",
  site_levels: [
    { site_id: "north", level: "owner" },
    { site_id: "east", level: "user" },
  ],
} as const;

test.each([
  [undefined, undefined, "readonly"],
  [undefined, "north", "readonly"],
  [reader, undefined, "readonly"],
  [reader, "north", "readonly"],
  [owner, undefined, "owner"],
  [owner, "north", "owner"],
  [owner, "east", "user"],
  [owner, "south", "readonly"],
])("the session %j at %s has level %s", (session, site, level) => {
  expect(heldLevel(session, site)).toBe(level);
});
