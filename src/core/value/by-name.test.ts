import { expect, test } from "vitest";
import { byName } from "./by-name.ts";

test("ids win over aliases, and of aliases the first declared", () => {
  const one = { id: "one", aliases: ["two", "both"] };
  const two = { id: "two", aliases: ["both"] };
  const find = byName(new Map([one, two].map((item) => [item.id, item])));
  expect(["one", "two", "both", "none", "constructor"].map(find)).toEqual([one, two, one, undefined, undefined]);
});

test("however many names are asked for, aliases are read once", () => {
  let reads = 0;
  const item = {
    get aliases() {
      reads++;
      return ["a"];
    },
  };
  const find = byName(new Map(Array.from({ length: 300 }, (_, n) => [`p${n}`, item])));
  for (let n = 0; n < 5_000; n++) find(`undeclared ${n}`);
  expect(reads).toBe(300);
});
