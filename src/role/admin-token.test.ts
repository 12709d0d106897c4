import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tokenIdOf } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID } from "#core/access/token-record.ts";
import { Secret } from "#core/secret.ts";
import { createAuthenticator } from "#service/access/authenticator.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { NEVER } from "../../test/support/fake-clock.ts";
import { FakeTokens } from "../../test/support/fake-tokens.ts";
import { NOON } from "../../test/support/records.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { prepareAdminToken } from "./admin-token.ts";

const GIVEN = "a text of thirty-two characters!!";

test("the first start makes a token and writes it to a file that only the owner reads", async () => {
  const before = process.umask(0);
  onTestFinished(() => {
    process.umask(before);
  });
  const { data, file, start } = prepare();
  expect((await start()).file).toBe(file);
  const text = readFileSync(file, "utf8");
  expect(tokenIdOf(text.trim())).toBe(ADMIN_TOKEN_ID);
  expect(text).toMatch(/^bb_\w+\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(data)).toEqual(["admin.token"]);
});

test("later starts keep the token of the file", async () => {
  const { file, start, accepts } = prepare();
  await start();
  const text = readFileSync(file, "utf8").trim();
  const later = await start();
  expect(readFileSync(file, "utf8").trim()).toBe(text);
  expect(await accepts(later, text)).toBe(true);
});

test("deleting the file and starting again voids the former token", async () => {
  const { file, start, accepts } = prepare();
  await start();
  const former = readFileSync(file, "utf8").trim();
  rmSync(file);
  const later = await start();
  const text = readFileSync(file, "utf8").trim();
  expect(text).not.toBe(former);
  expect(await accepts(later, text)).toBe(true);
  expect(await accepts(later, former)).toBe(false);
});

test("a token from the settings wins over the file, and nothing is written", async () => {
  const { file, start, accepts } = prepare();
  const first = await start(new Secret(GIVEN));
  expect(first.file).toBeUndefined();
  expect(existsSync(file)).toBe(false);
  expect(await accepts(first, GIVEN)).toBe(true);
  await start();
  const made = readFileSync(file, "utf8").trim();
  const later = await start(new Secret(GIVEN));
  expect(await accepts(later, GIVEN)).toBe(true);
  expect(await accepts(later, made)).toBe(false);
  expect(readFileSync(file, "utf8").trim()).toBe(made);
});

test("a file with any text of 32 characters sets the token, with or without a line end", async () => {
  const { file, start, accepts } = prepare();
  for (const ending of ["", "\n", "\r\n"]) {
    writeFileSync(file, GIVEN + ending);
    expect(await accepts(await start(), GIVEN)).toBe(true);
  }
});

test.each(["", "\n", "x".repeat(31)])("a file with the text %j is set aside, and a new token made", async (text) => {
  const { file, start, accepts, reported } = prepare();
  writeFileSync(file, text);
  const started = await start();
  expect(readFileSync(`${file}.unreadable`, "utf8")).toBe(text);
  expect(await accepts(started, readFileSync(file, "utf8").trim())).toBe(true);
  expect(reported).toEqual(["admin.token held no token and was set aside; a new one was made"]);
});

test("a folder in the place of the file is set aside as well", async () => {
  const { file, start, accepts } = prepare();
  mkdirSync(file);
  expect(await accepts(await start(), readFileSync(file, "utf8").trim())).toBe(true);
});

test("what a crash left half written is replaced, whoever may read it", async () => {
  const { data, file, start, accepts } = prepare();
  writeFileSync(`${file}.new`, "bb_half");
  chmodSync(`${file}.new`, 0o666);
  const started = await start();
  expect(readdirSync(data)).toEqual(["admin.token"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await accepts(started, readFileSync(file, "utf8").trim())).toBe(true);
});

test("the records keep a hash of the token and never its text", async () => {
  const { start, tokens } = prepare();
  await start(new Secret(GIVEN));
  const stored = tokens.stored.get(ADMIN_TOKEN_ID);
  expect(stored).toMatchObject({ name: "admin", level: "system", sites: "all", expiresAt: undefined });
  expect(stored?.hash).toHaveLength(32);
  expect(JSON.stringify([...tokens.stored])).not.toContain(GIVEN);
});

function prepare() {
  const data = tempFolder();
  const tokens = new FakeTokens();
  let next = 0;
  const reported: string[] = [];
  const needs = {
    tokens,
    now: () => NOON,
    randomBytes: (length: number) => new Uint8Array(length).fill(++next),
    troubles: { report: ({ message }: { readonly message: string }) => void reported.push(message) },
  };
  type Started = Awaited<ReturnType<typeof prepareAdminToken>>;
  return {
    data,
    reported,
    tokens,
    file: join(data, "admin.token"),
    start: (given?: Secret) => prepareAdminToken(needs, data, given),
    accepts: async (started: Started, text: string) => {
      try {
        await createAuthenticator({ ...needs, after: NEVER, nodes: oneNode() }, started.record).authenticate(text);
        return true;
      } catch {
        return false;
      }
    },
  };
}
