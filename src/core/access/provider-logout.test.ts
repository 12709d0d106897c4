import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { readLogout } from "./provider-logout.ts";

const NOW = 1_800_000_000;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const EXPECTED = { issuer: "https://id.example", clientId: "busbar", now: instant(NOW * 1_000) };
const RIGHT = {
  ...{ iss: "https://id.example", aud: "busbar", iat: NOW, exp: NOW + 120, jti: "1", events: { [EVENT]: {} } },
  ...{ sub: "ada", sid: "s1" },
};

test("a person, a session there, or both have ended", () => {
  const ended = (more: object) => readLogout({ ...RIGHT, ...more }, EXPECTED);
  expect(ended({})).toEqual({ issuer: "https://id.example", subject: "ada", session: "s1" });
  expect(ended({ sid: undefined })).toMatchObject({ subject: "ada", session: undefined });
  expect(ended({ sub: undefined })).toMatchObject({ subject: undefined, session: "s1" });
  expect(ended({ aud: ["other", "busbar"], exp: undefined })).toMatchObject({ subject: "ada" });
  expect(ended({ iat: NOW + 30, exp: NOW - 29 })).toMatchObject({ subject: "ada" });
});

test.each([
  [{ iss: "https://evil.example" }, "another issuer"],
  [{ iss: undefined }, "another issuer"],
  [{ aud: "other" }, "somebody else"],
  [{ aud: undefined }, "somebody else"],
  [{ iat: NOW - 301 }, "too old"],
  [{ iat: NOW + 31 }, "future"],
  [{ iat: undefined }, "when"],
  [{ iat: Number.NaN }, "when"],
  [{ exp: NOW - 30 }, "expired"],
  [{ exp: "soon" }, "expired"],
  [{ events: undefined }, "session ended"],
  [{ events: { other: {} } }, "session ended"],
  [{ events: { [EVENT]: null } }, "session ended"],
  [{ events: EVENT }, "session ended"],
  [{ nonce: "n" }, "nonce"],
  [{ jti: undefined }, "no id"],
  [{ sub: undefined, sid: undefined }, "neither"],
  [{ sub: "" }, "nobody"],
  [{ sub: 7 }, "nobody"],
  [{ sub: "x".repeat(256) }, "nobody"],
  [{ sid: "x".repeat(256) }, "nobody"],
])("%j ends nothing", (wrong, problem) => {
  expect(readLogout({ ...RIGHT, ...wrong }, EXPECTED)).toEqual({ problem: expect.stringContaining(problem) });
});
