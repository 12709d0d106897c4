import { expect, test } from "vitest";
import { shownProblem, shownRequest } from "./shown-request.ts";

test.each([
  ["get", "http://10.0.0.9/forecast", "GET 10.0.0.9/forecast"],
  ["GET", "https://user:pass@api.example.com:8443/v1/prices?token=abc#x", "GET api.example.com:8443/v1/prices"],
  ["POST", "https://api.telegram.org/bot12345:AAbbCC/sendMessage", "POST api.telegram.org/…/sendMessage"],
  ["GET", "https://x.example/keys/9f8e7d6c5b4a39281706", "GET x.example/keys/…"],
  ["GET", "https://x.example/AbCdEfGhIjKlMnOpQrStUv/a", "GET x.example/…/a"],
  ["GET", "https://x.example/", "GET x.example"],
  ["G\nT", "secret", "? ?"],
  ["GET", `http://x/${"a/".repeat(200)}`, `GET x/${"a/".repeat(59)}`],
])("%s %s is shown as %s", (method, url, expected) => {
  const { method: shown, server } = shownRequest(method, url);
  expect(`${shown} ${server}`).toBe(expected);
});

test.each([
  ["no answer within 50 ms", "no answer within 50 ms"],
  [
    "10.0.0.9:80 is not allowed for this rule; the setting lua.allow says what is",
    "10.0.0.9:80 is not allowed for this rule; the setting lua.allow says what is",
  ],
  ['"http:/user:pass@x" is no URL', "no answer"],
  ["https://user@x failed", "no answer"],
])("%s is told as %s", (problem, expected) => {
  expect(shownProblem(problem)).toBe(expected);
});
