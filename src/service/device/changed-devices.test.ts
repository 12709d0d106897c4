import { expect, test } from "vitest";
import { createBackground } from "#service/background.ts";
import { createChangedDevices } from "./changed-devices.ts";

function world() {
  const looks: (readonly string[])[] = [];
  const taken: string[] = [];
  const failures: unknown[] = [];
  const background = createBackground((_, error) => failures.push(error));
  const changed = createChangedDevices({
    gateways: {
      ownedAmong: async (ids) => {
        looks.push(ids);
        if (ids.includes("bad")) throw new Error("no");
        return ids.flatMap((id) => {
          const type = id.startsWith("child") ? "CHILD" : "STANDALONE";
          return id.endsWith("of a gateway") ? [{ id, siteId: "s", type } as const] : [];
        });
      },
    },
    background,
    takeOver: async (id, isOfGateway) => void taken.push(isOfGateway ? `copy ${id}` : id),
  });
  return { changed, looks, taken, failures, background };
}

test("devices that change while one looks are looked at together; those that run at gateways are left alone", async () => {
  const { changed, looks, taken, background } = world();
  for (const id of ["pump", "one of a gateway", "two of a gateway", "pump", "child of a gateway"]) changed.add(id);
  await background.idle();
  expect(looks).toEqual([["pump"], ["one of a gateway", "two of a gateway", "pump", "child of a gateway"]]);
  expect(taken).toEqual(["pump", "pump", "copy child of a gateway"]);
});

test("however many change, there is one look at a time, and each names a thousand at most", async () => {
  const { changed, looks, taken, background } = world();
  for (let n = 0; n < 2_500; n++) changed.add(`${n} of a gateway`);
  await background.idle();
  expect([looks.map(({ length }) => length), taken]).toEqual([[1, 1_000, 1_000, 499], []]);
});

test("a look that fails is reported, and those that came meanwhile are taken over", async () => {
  const { changed, taken, failures, background } = world();
  for (const id of ["bad", "pump"]) changed.add(id);
  await background.idle();
  expect([taken, failures.length]).toEqual([["pump"], 1]);
});
