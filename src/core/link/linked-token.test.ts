import { expect, test } from "vitest";
import type { TokenRecord } from "#core/access/token-record.ts";
import { instant } from "#core/time/instant.ts";
import { recordOf, tokensFor } from "./linked-token.ts";
import { parseDownMessage } from "./parse-message.ts";

const NOW = instant(1_000);

function token(id: string, more: Partial<TokenRecord> = {}): TokenRecord {
  const unset = { expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
  const hash = new Uint8Array(32).fill(7);
  return { id, name: id, level: "readonly", sites: "all", hash, createdAt: NOW, ...unset, ...more };
}

const ANNA = token("anna", {
  name: "Anna",
  accountId: "anna",
  sites: new Set(["north", "south"]),
  siteLevels: new Map([
    ["north", "owner"],
    ["south", "user"],
  ]),
});

/** As the gateway stores what it got. */
const arrived = (sites: readonly string[], ...tokens: readonly TokenRecord[]) =>
  tokensFor(sites, tokens, NOW).map((one) => recordOf(one, NOW));

test("a gateway learns of a person what holds at its own sites, and stores it as a person of the cloud", () => {
  expect(arrived(["north"], ANNA)).toEqual([
    { ...ANNA, sites: new Set(["north"]), siteLevels: new Map([["north", "owner"]]), fromCloud: true },
  ]);
  const { siteLevels: _, ...reader } = ANNA;
  expect(arrived(["north"], reader)).toEqual([{ ...reader, sites: new Set(["north"]), fromCloud: true }]);
  expect(arrived(["east"], ANNA)).toEqual([]);
});

test("a token of a person has the names of both, and is no person", () => {
  const laptop = token("laptop", { accountId: "anna" });
  expect(arrived(["north"], ANNA, laptop).map(({ name, accountId }) => [name, accountId])).toEqual([
    ["Anna", "anna"],
    ["Anna: laptop", undefined],
  ]);
});

test("the admin's, suspended people and what has expired stay in the cloud", () => {
  const gone = token("gone", { accountId: "gone", revokedAt: NOW });
  expect(arrived(["north"], token("admin", { level: "system" }), gone, token("old", { expiresAt: NOW }))).toEqual([]);
});

test.each([
  ["level system at a site", { siteLevels: [{ siteId: "s", level: "system" }] }],
  ["a level without a site", { siteLevels: [{ level: "owner" }] }],
  ["levels that are no list", { siteLevels: {} }],
  ["a person that is no flag", { isPerson: 1 }],
])("%s ends the connection", (_, fields) => {
  const one = tokensFor(["north"], [ANNA], NOW)[0];
  const message = (more: object) => JSON.parse(JSON.stringify({ type: "tokens", tokens: [{ ...one, ...more }] }));
  expect(() => parseDownMessage(message({}))).not.toThrow();
  expect(() => parseDownMessage(message(fields))).toThrow();
});
