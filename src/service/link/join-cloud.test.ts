import { expect, test } from "vitest";
import { type JoinNeeds, joinAsSet, joinCloud } from "./join-cloud.ts";

const CALL = { caller: { sites: "all" } } as never;

/** A gateway that has joined this cloud, and would ask another one. */
function joinedTo(url: string) {
  const asked: string[] = [];
  const needs = {
    uplinks: { get: async () => ({ url }) },
    askCloud: async (to: string) => void asked.push(to),
  } as unknown as JoinNeeds;
  return { asked, needs };
}

test("a gateway that has joined a cloud joins no other one, and no code is used up for it", async () => {
  const { asked, needs } = joinedTo("https://a.example");
  const other = { url: "https://b.example", code: "c" };
  await expect(joinCloud(needs, CALL, other)).rejects.toMatchObject({ code: "conflict" });
  const token = { reveal: () => "c" } as never;
  await expect(joinAsSet(needs, CALL, { url: other.url, token })).rejects.toThrow("leave that one first");
  await joinAsSet(needs, CALL, { url: "https://a.example", token });
  expect(asked).toEqual([]);
});
