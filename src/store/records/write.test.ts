import { expect, test } from "vitest";
import type { WriteDatabase } from "#store/database.ts";
import { marked } from "./link-marks.ts";
import { write } from "./write.ts";

test.each([
  [true, ["site abc 7"]],
  [false, []],
])("a write notes what it has changed for a cloud, if there is one: %s", async (hasCloud, expected) => {
  const sent: string[] = [];
  const database = {
    hasCloud: () => hasCloud,
    nextChange: () => 7,
    send: (_: string, ...values: readonly unknown[]) => void sent.push(values.join(" ")),
  } as unknown as WriteDatabase;
  const informs = { cloud: ({ id }: { id: string }) => marked("site", id), nodes: undefined };
  const run = async (_: WriteDatabase, { id }: { id: string }) => id.length;
  expect(await write({ locks: [], informs, fromReserve: false, run }).run(database, { id: "abc" })).toBe(3);
  expect(sent).toEqual(expected);
});
