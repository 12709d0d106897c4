import { expect, test } from "vitest";
import { formatToken } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID, type TokenRecord } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { createFakeClock, NEVER } from "../../../test/support/fake-clock.ts";
import { FakeTokens } from "../../../test/support/fake-tokens.ts";
import { makeToken, NOON, newId } from "../../../test/support/records.ts";
import { createAuthenticator } from "./authenticator.ts";
import { hashSecret } from "./hash-secret.ts";

const ADMIN_TEXT = formatToken(ADMIN_TOKEN_ID, new Uint8Array(32).fill(1));
const ADMIN = makeToken({ id: ADMIN_TOKEN_ID, name: "admin", level: "system", hash: hashSecret(ADMIN_TEXT) });

test("a token's text gives its caller, from the store at first and from memory after that", async () => {
  const { text, token, tokens, authenticator } = prepare({ level: "owner", sites: new Set(["s"]) });
  const caller = { tokenId: token.id, tokenName: token.name, level: "owner", sites: new Set(["s"]) };
  for (let i = 0; i < 3; i++) expect(await authenticator.authenticate(text)).toEqual(caller);
  expect(tokens.looked).toEqual([token.id]);
});

test("the admin token's text gives the admin, whatever it looks like, and asks no store", async () => {
  for (const text of [ADMIN_TEXT, "a text of thirty-two characters!!"]) {
    const tokens = new FakeTokens();
    const authenticator = createAuthenticator(
      { tokens, now: () => NOON, after: NEVER, nodes: oneNode() },
      { ...ADMIN, hash: hashSecret(text) },
    );
    expect(await authenticator.authenticate(text)).toMatchObject({ tokenId: ADMIN_TOKEN_ID, level: "system" });
    expect(tokens.looked).toEqual([]);
  }
});

test("what is no known token is refused, and only an intact text reaches the store", async () => {
  const { text, token, tokens, authenticator } = prepare();
  const forged = formatToken(token.id, new Uint8Array(32).fill(99));
  const unknown = formatToken(newId(), new Uint8Array(32));
  const adminForged = formatToken(ADMIN_TOKEN_ID, new Uint8Array(32).fill(99));
  tokens.stored.set(ADMIN_TOKEN_ID, { ...ADMIN, hash: hashSecret(adminForged) });
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, "the call carries no access token"],
    ["", "the call carries no access token"],
    ["constructor", "the access token is not known here"],
    ["__proto__", "the access token is not known here"],
    [text.slice(0, -1), "the access token is not known here"],
    [`${text} `, "the access token is not known here"],
    [`${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`, "the access token is not known here"],
    ["x".repeat(10_000), "the access token is not known here"],
    [unknown, "the access token is not known here"],
    [forged, "the access token is not known here"],
    [adminForged, "the access token is not known here"],
  ];
  for (const [given, message] of cases) {
    await expect((async () => authenticator.authenticate(given))()).rejects.toMatchObject({
      code: "unauthorized",
      message,
    });
  }
  expect(tokens.looked).toHaveLength(3);
  expect(await authenticator.authenticate(text)).toMatchObject({ tokenId: token.id });
});

test("a token ends at its expiry to the millisecond, in memory or not", async () => {
  const expiresAt = at(1000);
  for (const warm of [true, false]) {
    const { text, token, clock, authenticator } = prepare({ expiresAt });
    if (warm) await authenticator.authenticate(text);
    clock.now = at(999);
    expect(await authenticator.authenticate(text)).toMatchObject({ tokenId: token.id });
    expect(await authenticator.isLive(token.id)).toBe(true);
    for (const later of [1000, 1001, 1e9]) {
      clock.now = at(later);
      await expect((async () => authenticator.authenticate(text))()).rejects.toMatchObject({
        code: "unauthorized",
        message: "the access token expired at 2026-11-14T12:00:01.000Z",
      });
      expect(await authenticator.isLive(token.id)).toBe(false);
    }
    expect(authenticator.lastUse(token.id)).toBe(at(999));
  }
});

test("a revoked token is refused from the moment it is forgotten, although it was in memory", async () => {
  const { text, token, tokens, authenticator } = prepare();
  await authenticator.authenticate(text);
  tokens.stored.set(token.id, { ...token, revokedAt: at(5) });
  authenticator.forget(token.id);
  await expect((async () => authenticator.authenticate(text))()).rejects.toMatchObject({
    code: "unauthorized",
    message: "the access token was revoked at 2026-11-14T12:00:00.005Z",
  });
  expect(await authenticator.isLive(token.id)).toBe(false);
});

test("a look-up that is under way when the token is revoked does not bring it back to memory", async () => {
  const { text, token, tokens, authenticator } = prepare();
  const held = tokens.hold();
  const early = authenticator.authenticate(text);
  tokens.stored.set(token.id, { ...token, revokedAt: at(5) });
  authenticator.forget(token.id);
  held.release();
  // It began before the revocation was answered, so it may pass; what begins after it may not.
  await early;
  await expect((async () => authenticator.authenticate(text))()).rejects.toMatchObject({ code: "unauthorized" });
});

test("forgetting one token leaves others usable, and a forgotten one that still lives comes back", async () => {
  const { text, token, tokens, authenticator } = prepare();
  await authenticator.authenticate(text);
  authenticator.forget(newId());
  await authenticator.authenticate(text);
  expect(tokens.looked).toHaveLength(1);
  authenticator.forget(token.id);
  expect(await authenticator.authenticate(text)).toMatchObject({ tokenId: token.id });
  expect(tokens.looked).toHaveLength(2);
});

test("a look-up that fails is a failure of this call only", async () => {
  const { text, token, tokens, authenticator } = prepare();
  const held = tokens.hold();
  const early = authenticator.authenticate(text);
  held.fail(new Error("the disk is away"));
  await expect(early).rejects.toThrow("the disk is away");
  expect(await authenticator.authenticate(text)).toMatchObject({ tokenId: token.id });
});

test("memory holds ten thousand tokens and lets the oldest go", async () => {
  const texts = new Map(Array.from({ length: 10_001 }, (_, i) => [newId(), secretOf(i)]));
  const made = [...texts].map(([id, secret]) => makeToken({ id, hash: hashSecret(formatToken(id, secret)) }));
  const tokens = new FakeTokens(...made);
  const authenticator = createAuthenticator({ tokens, now: () => NOON, after: NEVER, nodes: oneNode() }, ADMIN);
  const use = (token: TokenRecord | undefined) =>
    authenticator.authenticate(formatToken(token?.id ?? "", texts.get(token?.id ?? "") ?? secretOf(0)));
  for (const token of made) await use(token);
  await use(made[10_000]);
  await use(made[1]);
  expect(tokens.looked).toHaveLength(10_001);
  await use(made[0]);
  expect(tokens.looked).toHaveLength(10_002);
});

test("uses are handed to the store once, and are known also while on their way there", async () => {
  const { text, token, tokens, clock, authenticator } = prepare();
  expect(authenticator.lastUse(token.id)).toBeUndefined();
  await authenticator.authenticate(text);
  clock.now = at(7);
  await authenticator.authenticate(text);
  const held = tokens.hold();
  const flushed = authenticator.flushUses();
  expect(authenticator.lastUse(token.id)).toBe(at(7));
  held.release();
  await flushed;
  expect(tokens.noted).toEqual([new Map([[token.id, at(7)]])]);
  expect(tokens.stored.get(token.id)?.lastUsedAt).toBe(at(7));
  await authenticator.flushUses();
  expect(tokens.noted).toHaveLength(1);
});

test("uses that could not be stored are stored the next time, the later of two", async () => {
  const { text, token, tokens, clock, authenticator } = prepare();
  await authenticator.authenticate(text);
  await authenticator.authenticate(ADMIN_TEXT);
  const held = tokens.hold();
  const flushed = authenticator.flushUses();
  clock.now = at(9);
  const later = authenticator.authenticate(text);
  held.fail(new Error("the disk is full"));
  await expect(flushed).rejects.toThrow("the disk is full");
  await later;
  expect(authenticator.lastUse(token.id)).toBe(at(9));
  expect(authenticator.lastUse(ADMIN_TOKEN_ID)).toBe(NOON);
  await authenticator.flushUses();
  expect(tokens.noted).toEqual([
    new Map([
      [token.id, at(9)],
      [ADMIN_TOKEN_ID, NOON],
    ]),
  ]);
});

test("a refused token is not noted as used", async () => {
  const { text, token, authenticator } = prepare({ revokedAt: NOON });
  await expect((async () => authenticator.authenticate(text))()).rejects.toMatchObject({ code: "unauthorized" });
  expect(authenticator.lastUse(token.id)).toBeUndefined();
});

test("who watches a token is called when it changes, until the watch ends", () => {
  const { authenticator } = prepare();
  const called: string[] = [];
  const endFirst = authenticator.onEnd("a", () => called.push("first"));
  authenticator.onEnd("b", () => called.push("other"));
  authenticator.forget("a");
  endFirst();
  const endSecond = authenticator.onEnd("a", () => called.push("second"));
  endFirst();
  authenticator.forget("a");
  endSecond();
  authenticator.forget("a");
  expect(called).toEqual(["first", "second"]);
});

test.each([
  ["at its end", 5_000, 5_000],
  ["at its end, also when that is months away", 90 * 86_400_000, 90 * 86_400_000],
])("who watches a token is called when it expires: %s", async (_, expiresIn, expected) => {
  const id = newId();
  const text = formatToken(id, secretOf(7));
  const tokens = new FakeTokens(makeToken({ id, hash: hashSecret(text), expiresAt: at(expiresIn) }));
  const clock = createFakeClock(NOON);
  const authenticator = createAuthenticator({ tokens, now: clock.now, after: clock.after, nodes: oneNode() }, ADMIN);
  await authenticator.authenticate(text);
  const called: number[] = [];
  const ends = [1, 2].map(() => authenticator.onEnd(id, () => called.push(clock.now() - NOON)));
  expect(clock.waiting).toBe(1);
  await clock.advance(expected - 1);
  expect(called).toEqual([]);
  await clock.advance(1);
  expect(called).toEqual([expected, expected]);
  for (const end of ends) end();
  expect(clock.waiting).toBe(0);
});

test("when nobody watches a token any more, its expiry is not waited for", async () => {
  const id = newId();
  const text = formatToken(id, secretOf(7));
  const tokens = new FakeTokens(makeToken({ id, hash: hashSecret(text), expiresAt: at(5_000) }));
  const clock = createFakeClock(NOON);
  const authenticator = createAuthenticator({ tokens, now: clock.now, after: clock.after, nodes: oneNode() }, ADMIN);
  await authenticator.authenticate(text);
  authenticator.onEnd(id, () => {})();
  expect(clock.waiting).toBe(0);
});

test("the admin token lives, an unknown one does not", async () => {
  const { authenticator } = prepare();
  expect(await authenticator.isLive(ADMIN_TOKEN_ID)).toBe(true);
  expect(await authenticator.isLive(newId())).toBe(false);
});

/** An authenticator, a clock to set, and a token that the store knows. */
function prepare(fields: Partial<TokenRecord> = {}) {
  const id = newId();
  const text = formatToken(id, secretOf(7));
  const token = makeToken({ id, hash: hashSecret(text), ...fields });
  const tokens = new FakeTokens(token);
  const clock: { now: Instant } = { now: NOON };
  const authenticator = createAuthenticator({ tokens, now: () => clock.now, after: NEVER, nodes: oneNode() }, ADMIN);
  return { text, token, tokens, clock, authenticator };
}

function secretOf(number: number): Uint8Array {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function at(afterNoon: number): Instant {
  return instant(NOON + afterNoon);
}
