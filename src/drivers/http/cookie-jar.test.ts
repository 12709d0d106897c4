import { expect, test } from "vitest";
import { CookieJar, type SetCookie } from "./cookie-jar.ts";

const cookie = (name: string, value = "1"): SetCookie => ({ name, value, expires: "", isOver: false });

test("a jar stays small, however many hosts fill it, and keeps what is newest", () => {
  const jar = new CookieJar();
  for (let n = 0; n < 200; n += 1) jar.keep(`h${n}.example`, [cookie("a", "x".repeat(4_000)), cookie("b")]);
  const kept = Array.from({ length: 200 }, (_, n) => jar.header(`h${n}.example`));
  expect(kept.filter((one) => one !== undefined)).toHaveLength(32);
  expect(kept[199]).toMatch(/^a=x+; b=1$/);
});

test("a cookie that is too long is no cookie, and takes the place of the one before", () => {
  const jar = new CookieJar();
  jar.keep("h", [cookie("a"), cookie("b"), cookie("a", "x".repeat(5_000))]);
  expect(jar.header("h")).toBe("b=1");
});
