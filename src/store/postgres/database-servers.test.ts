import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { requireDatabaseAddress } from "#core/net/database-address.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { createDatabaseServers, type ServerState } from "./database-servers.ts";
import { timelinesIn } from "./kept-timelines.ts";

const TWO = "postgres://a,b/x";
const writable = (timeline: number, system = "1"): ServerState => ({ isWritable: true, system, timeline });
const reading = (): ServerState => ({ isWritable: false, system: "1", timeline: undefined });

/** Servers whose answers can be changed. */
function fakeServers(answers: Record<string, ServerState | Error>, url = TWO, file?: string) {
  let asked = 0;
  const ask = async ({ host }: { readonly host: string }) => {
    asked++;
    const answer = answers[host];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("nobody is there");
    return answer;
  };
  const servers = createDatabaseServers(url, { ask, kept: file === undefined ? undefined : timelinesIn(file) });
  return { answers, servers, asked: () => asked, host: async () => (await servers.choose())?.host };
}

const refused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const connection = () => {
  const dropped = { count: 0, drop: () => void dropped.count++ };
  return dropped;
};

test("of several servers the one that accepts writes is chosen, and kept until it is forgotten", async () => {
  const { answers, servers, asked, host } = fakeServers({ a: reading(), b: writable(1) });
  expect(await Promise.all([host(), host(), host()])).toEqual(["b", "b", "b"]);
  expect(asked(), "all who wait share one look at both").toBe(2);
  answers["a"] = writable(2);
  answers["b"] = refused();
  expect([await host(), asked()]).toEqual(["b", 2]);
  servers.forget();
  expect([await host(), asked()]).toEqual(["a", 4]);
});

test("of two servers that accept writes the one with the later timeline is the primary", async () => {
  const { answers, servers, host } = fakeServers({ a: writable(1), b: writable(2) });
  expect(await host()).toBe("b");
  answers["b"] = refused();
  servers.forget();
  await expect(host()).rejects.toThrow(
    "no server of the address is the primary: a:5432 is an old primary (timeline 1); b:5432 connect ECONNREFUSED",
  );
  answers["b"] = writable(2);
  expect(await host()).toBe("b");
});

test("an old primary is refused, and connections to it end when a later timeline is seen", () => {
  for (const url of [TWO, "postgres://floating/x"]) {
    const { servers } = fakeServers({}, url);
    const [first, second] = [connection(), connection()];
    servers.accept(writable(1), first);
    expect(first.count).toBe(0);
    servers.accept(writable(2), second);
    expect([first.count, second.count]).toEqual([1, 0]);
    expect(() => servers.accept(writable(1), connection())).toThrow(
      "the server has timeline 1, and another one took over with timeline 2: it is an old primary",
    );
    expect(second.count).toBe(0);
  }
});

test("a connection that has ended is not ended again", () => {
  const { servers } = fakeServers({}, "postgres://floating/x");
  const first = connection();
  servers.accept(writable(1), first)();
  servers.accept(writable(2), connection());
  expect(first.count).toBe(0);
});

test("another system, such as a database that was restored into a new server, has timelines of its own", () => {
  const { servers } = fakeServers({}, "postgres://floating/x");
  servers.accept(writable(5), connection());
  expect(() => servers.accept(writable(1, "restored"), connection())).not.toThrow();
});

test("one server may only read, because reads are answered then; of several such a one is not the primary", () => {
  expect(() => fakeServers({}, "postgres://one/x").servers.accept(reading(), connection())).not.toThrow();
  expect(() => fakeServers({}).servers.accept(reading(), connection())).toThrow("only reads");
});

test("what another try cannot mend is thrown as it is, and what it may mend names every server", async () => {
  const wrong = Object.assign(new Error("password authentication failed"), { code: "28P01" });
  await expect(fakeServers({ a: wrong, b: wrong }).host()).rejects.toBe(wrong);
  await expect(fakeServers({ a: wrong, b: reading() }).host()).rejects.toMatchObject({
    code: "57P03",
    message: "no server of the address is the primary: a:5432 password authentication failed; b:5432 only reads",
  });
});

test("after a restart an old primary is still refused, with what to do", async () => {
  const file = join(tempFolder(), "database-timelines");
  fakeServers({}, TWO, file).servers.accept(writable(2), connection());
  fakeServers({}, TWO, file).servers.accept(writable(1, "2"), connection());
  const { answers, servers, host } = fakeServers({ a: writable(1), b: refused() }, TWO, file);
  const advice = `If that one is lost for good, and with it what only it has: stop all nodes, delete ${file} and`;
  await expect(host()).rejects.toThrow("a:5432 is an old primary (timeline 1); b:5432 connect ECONNREFUSED. Start the");
  await expect(host()).rejects.toThrow(advice);
  expect(() => servers.accept(writable(1), connection())).toThrow(advice);
  answers["b"] = writable(2);
  expect(await host()).toBe("b");
});

test("a timeline is written once, and what a crash or a hand left in the file does not matter", () => {
  const file = join(tempFolder(), "database-timelines");
  const start = () => fakeServers({}, TWO, file).servers;
  const first = start();
  for (const timeline of [3, 3, 4, 4]) first.accept(writable(timeline, "77"), connection());
  start().accept(writable(4, "77"), connection());
  const lines = () =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  expect(lines()).toEqual(["77 3", "77 4"]);
  appendFileSync(file, "not a line\n77 99999999999999\n77 1");
  expect(() => start().accept(writable(3, "77"), connection())).toThrow("it is an old primary");
  start().accept(writable(5, "77"), connection());
  expect(lines().slice(-2)).toEqual(["77 1", "77 5"]);
});

test("a folder that takes nothing keeps nobody from the database", () => {
  const { servers } = fakeServers({}, TWO, "/nowhere/database-timelines");
  expect(() => servers.accept(writable(2), connection())).not.toThrow();
  expect(() => servers.accept(writable(1), connection())).toThrow("it is an old primary");
});

test("a server is there if it answers, even by a refusal, and one question is enough for all who ask at once", async () => {
  const full = Object.assign(new pg.DatabaseError("too many clients", 16, "error"), { code: "53300" });
  const { servers, asked } = fakeServers({ a: full, b: new Error("timeout expired") });
  const [a, b] = requireDatabaseAddress(TWO).servers;
  const isThere = (server: typeof a) => servers.isThere(server);
  expect(await Promise.all([isThere(a), isThere(a), isThere(b), isThere(undefined)])).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(asked()).toBe(3);
});
