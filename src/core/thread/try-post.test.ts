import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { expect, test } from "vitest";
import { tryPost, tryPostAll } from "./try-post.ts";

const UNCOPYABLE: readonly (readonly [string, unknown])[] = [
  ["a function", () => 1],
  ["a list nested 10,000 deep", nested(10_000)],
];

test.each(UNCOPYABLE)("%s is returned as an error, and nothing is sent", (_, value) => {
  const { port1, port2 } = new MessageChannel();
  expect(tryPost(port1, { value })?.message).toMatch(/^a message to another thread cannot be copied: /);
  expect(tryPost(port1, "next")).toBeUndefined();
  expect(receiveMessageOnPort(port2)?.message).toBe("next");
  port1.close();
});

test.each(UNCOPYABLE)("%s in a list fails alone", (_, value) => {
  const { port1, port2 } = new MessageChannel();
  const failed: unknown[] = [];
  tryPostAll<unknown>(port1, ["first", value, "last"], (item) => failed.push(item));
  expect(failed).toHaveLength(1);
  expect(failed[0]).toBe(value);
  expect([1, 2, 3].map(() => receiveMessageOnPort(port2)?.message)).toEqual([["first"], ["last"], undefined]);
  port1.close();
});

test("no other file posts messages by itself", () => {
  const source = fileURLToPath(new URL("../../", import.meta.url));
  const posting = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) => readFileSync(join(source, name), "utf8").includes(".postMessage("));
  expect(posting).toEqual(["core/thread/try-post.ts"]);
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
