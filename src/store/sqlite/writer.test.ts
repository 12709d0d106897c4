import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { makeEntry, makeSite, NOON } from "../../../test/support/records.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openWriter } from "./writer.ts";

/** Threads that behave as no healthy one does; each says it is ready first. */
const THREADS = {
  failing: "port.on('message', () => { throw new Error('the disk caught fire'); })",
  leaving: "port.on('message', () => process.exit(0))",
  silent: "port.on('message', (message) => { if (message === 'close') process.exit(0); })",
};

test.each([
  ["failing", "the disk caught fire"],
  ["leaving", "the writing thread ended"],
] as const)("when a %s thread ends, what waits is refused and the owner is called once", async (kind, message) => {
  const faults: string[] = [];
  const writer = await openWriter("", (error) => faults.push(error.message), startThread(kind));
  const results = await Promise.allSettled([insertInto(writer), insertInto(writer)]);
  expect(results).toMatchObject(Array(2).fill({ status: "rejected", reason: { code: "storage_unavailable" } }));
  await expect(insertInto(writer)).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(faults).toEqual([message]);
  await writer.close();
  expect(faults).toEqual([message]);
});

test("closing ends also when the thread fails instead of answering, and is no fault then", async () => {
  const faults: Error[] = [];
  const writer = await openWriter("", (error) => faults.push(error), startThread("failing"));
  const write = insertInto(writer);
  const [result] = await Promise.allSettled([write, writer.close(), writer.close()]);
  expect(result).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable" } });
  expect(faults).toEqual([]);
});

test("a thread that cannot start is a failed opening", async () => {
  const opening = openWriter("", unexpected, new Worker("throw new Error('no room for threads')", { eval: true }));
  await expect(opening).rejects.toThrow("no room for threads");
  const silent = openWriter("", unexpected, new Worker("process.exit(0)", { eval: true }));
  await expect(silent).rejects.toThrow("the writing thread ended before it was ready");
});

test.each([
  ["that holds a function", { before: () => NOON }],
  ["nested 10,000 deep", { before: nested(10_000) }],
])("a write %s is refused alone: others of the same turn are stored", async (_, input) => {
  const writer = await openWriter(join(tempFolder(), "records.db"), unexpected);
  const writes = [insertInto(writer), writer.run("pruneAudit", input as never), insertInto(writer)];
  const results = await Promise.allSettled(writes);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining("cannot be copied") } });
  await writer.close();
});

test("more writes than may wait are refused at once as overload", async () => {
  const writer = await openWriter("", unexpected, startThread("silent"));
  const writes = Array.from({ length: 20_003 }, () => writer.run("markAttempted", { id: "x" }));
  const results = Promise.allSettled(writes);
  await expect(writes.at(-1)).rejects.toMatchObject({ code: "overloaded" });
  await writer.close();
  const codes = (await results).map((result) => result.status === "rejected" && result.reason.code);
  expect(codes.filter((code) => code === "overloaded")).toHaveLength(3);
  expect(codes.filter((code) => code === "storage_unavailable")).toHaveLength(20_000);
});

test("more bytes than may wait are refused at once as overload, and what is answered makes room", async () => {
  const writer = await openWriter("", unexpected, startThread("silent"));
  const site = { ...makeSite(), name: "x".repeat(1_000_000) };
  const writes = Array.from({ length: 40 }, () => writer.run("insertSite", { site, trail: makeEntry() }));
  const results = Promise.allSettled(writes);
  expect(writer.buffer.used()).toBeLessThanOrEqual(writer.buffer.limit);
  await expect(writes.at(-1)).rejects.toMatchObject({ code: "overloaded" });
  await writer.close();
  const codes = (await results).map((result) => result.status === "rejected" && result.reason.code);
  expect(codes.filter((code) => code === "overloaded")).toHaveLength(7);
  expect(writer.buffer.used()).toBe(0);
});

test("closing stores what was handed over before it, and takes nothing after it", async () => {
  const file = join(tempFolder(), "records.db");
  const writer = await openWriter(file, unexpected);
  const sites = Array.from({ length: 300 }, () => makeSite());
  const writes = sites.map((site) => writer.run("insertSite", { site, trail: makeEntry() }));
  const closed = writer.close();
  await expect(insertInto(writer)).rejects.toMatchObject({ code: "storage_unavailable" });
  await Promise.all(writes);
  await closed;
  const again = await openWriter(file, unexpected);
  const answers = await Promise.all(sites.map(({ id }) => again.run("deleteSite", { id, trail: makeEntry() })));
  expect(answers).toEqual(Array(300).fill(true));
  await again.close();
});

test("writes take effect in the order of the calls, refused ones in between or not", async () => {
  const writer = await openWriter(join(tempFolder(), "records.db"), unexpected);
  const site = makeSite();
  const rename = (name: string) =>
    writer.run("updateSite", { id: site.id, change: { name, updatedAt: NOON }, trail: makeEntry() });
  const insert = () => writer.run("insertSite", { site, trail: makeEntry() });
  const names = Array.from({ length: 100 }, (_, i) => `name ${i}`);
  const early = rename("too early");
  const first = insert();
  const answers = names.flatMap((name) => [rename(name), insert().catch(() => undefined)]);
  expect(await early).toBeUndefined();
  await first;
  expect((await Promise.all(answers)).flatMap((answer) => answer?.name ?? [])).toEqual(names);
  await writer.close();
});

type Writer = Awaited<ReturnType<typeof openWriter>>;

function insertInto(writer: Writer): Promise<void> {
  return writer.run("insertSite", { site: makeSite(), trail: makeEntry() });
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function startThread(kind: keyof typeof THREADS): Worker {
  const code = `const port = require("node:worker_threads").parentPort; ${THREADS[kind]}; port.postMessage({ fromReserve: [] });`;
  return new Worker(code, { eval: true });
}

function unexpected(error: Error): never {
  throw error;
}
