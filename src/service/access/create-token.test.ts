import { expect, test } from "vitest";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { tokenIdOf } from "#core/access/token.ts";
import { instant } from "#core/time/instant.ts";
import type { SiteStore } from "#service/ports/site-store.ts";
import { callBy, parseScope } from "../../../test/support/calls.ts";
import { FakeTokens } from "../../../test/support/fake-tokens.ts";
import { makeSite, NOON, newId } from "../../../test/support/records.ts";
import { createToken, type TokenInput } from "./create-token.ts";
import { hashSecret } from "./hash-secret.ts";

const INPUT: TokenInput = {
  name: "dashboard",
  level: "readonly",
  siteIds: undefined,
  expiresInMs: undefined,
  ofInstallation: false,
};

// Row: the caller's level. Column: the level asked for, in the order of the rows.
const GRANTS = `
  readonly  + - - - - -
  user      + + - - - -
  owner     + + + - - -
  installer + + + + - -
  vendor    + + + + + -
  system    + + + + + -
`;

test.each(rows(GRANTS))(
  "a caller of level %s grants its own level and those below, system never",
  async (caller, marks) => {
    for (const [index, level] of ACCESS_LEVELS.entries()) {
      const needs = createNeeds();
      const made = createToken(needs, callBy(levelOf(caller)), { ...INPUT, level });
      if (marks[index] === "+") {
        await made;
        expect([...needs.tokens.stored.values()]).toMatchObject([{ level, sites: "all" }]);
      } else {
        await expect(made).rejects.toMatchObject({ code: "forbidden", refusals: [{ details: { pointer: "/level" } }] });
        expect(needs.tokens.stored.size).toBe(0);
        expect(needs.tokens.trails).toEqual([]);
      }
    }
  },
);

// The sites a, b and c exist. The caller's sites, the sites asked for (`-`: not given), and the outcome.
test.each([
  ["all", "-", "ok"],
  ["all", "a", "ok"],
  ["all", "a b c", "ok"],
  ["all", "x", "not_found /site_ids/0"],
  ["all", "a x", "not_found /site_ids/1"],
  ["all", "constructor", "not_found /site_ids/0"],
  ["a", "-", "forbidden /site_ids"],
  ["a", "a", "ok"],
  ["a", "b", "not_found /site_ids/0"],
  ["a", "x", "not_found /site_ids/0"],
  ["a", "a b", "not_found /site_ids/1"],
  ["a b", "a", "ok"],
  ["a b", "b a", "ok"],
  ["a b", "a b c", "not_found /site_ids/2"],
  ["a x", "x", "not_found /site_ids/0"],
  ["", "-", "forbidden /site_ids"],
  ["", "a", "not_found /site_ids/0"],
])("a caller for [%s] that asks for [%s] gets %s", async (own, asked, outcome) => {
  const needs = createNeeds();
  const siteIds = asked === "-" ? undefined : asked.split(" ");
  const made = createToken(needs, callBy("owner", parseScope(own)), { ...INPUT, siteIds });
  if (outcome === "ok") {
    await made;
    const sites = siteIds === undefined ? "all" : new Set(siteIds);
    expect([...needs.tokens.stored.values()]).toMatchObject([{ sites }]);
  } else {
    const [code, pointer] = outcome.split(" ");
    await expect(made).rejects.toMatchObject({ code, refusals: [{ details: { pointer } }] });
    expect(needs.tokens.stored.size).toBe(0);
  }
});

test("a site that the caller does not see is refused in the very words for one that does not exist", async () => {
  const message = (siteId: string) =>
    createToken(createNeeds(), callBy("owner", new Set(["a"])), { ...INPUT, siteIds: [siteId] }).catch((error: Error) =>
      error.message.replace(siteId, "?"),
    );
  expect(await message("b")).toBe(await message("x"));
});

test("the text is given once and only its hash is stored; the token ends when asked", async () => {
  const needs = createNeeds();
  const { id, text } = await createToken(needs, callBy("system"), { ...INPUT, expiresInMs: 5000 });
  expect(tokenIdOf(text)).toBe(id);
  expect(needs.tokens.stored.get(id)).toEqual({
    id,
    name: "dashboard",
    level: "readonly",
    sites: "all",
    hash: hashSecret(text),
    createdAt: NOON,
    expiresAt: instant(NOON + 5000),
    revokedAt: undefined,
    lastUsedAt: undefined,
  });
  const secret = text.slice(3 + 22, -6);
  expect(JSON.stringify(needs.tokens.trails)).not.toContain(secret);
  expect(needs.tokens.trails).toMatchObject([
    { outcome: "OK", target: { tokenId: id }, details: { level: "readonly" } },
  ]);
});

test("two tokens never share their text", async () => {
  const needs = createNeeds();
  const texts = await Promise.all(Array.from({ length: 20 }, () => createToken(needs, callBy("system"), INPUT)));
  expect(new Set(texts.map(({ text }) => text)).size).toBe(20);
});

function createNeeds() {
  let next = 0;
  const known = new Set(["a", "b", "c"]);
  const sites: Pick<SiteStore, "find"> = { find: async (id) => (known.has(id) ? makeSite({ id }) : undefined) };
  return {
    tokens: new FakeTokens(),
    sites: sites as SiteStore,
    now: () => NOON,
    newId,
    randomBytes: (length: number) => new Uint8Array(length).fill(++next),
  };
}

function rows(table: string): [string, string[]][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([level = "", ...marks]) => [level, marks]);
}

function levelOf(text: string) {
  const level = ACCESS_LEVELS.find((name) => name === text);
  if (level === undefined) throw new Error(`no level ${text}`);
  return level;
}
