import { expect, test } from "vitest";
import { cameOverProxy } from "./proxy-headers.ts";

test.each([
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded",
  "forwarded",
  "via",
  "x-real-ip",
  "cf-connecting-ip",
])("a call with the header %s came over a proxy", (name) => {
  expect(cameOverProxy({ host: "x", [name]: "203.0.113.9" })).toBe(true);
});

test("a scrape of Prometheus did not", () => {
  const headers = {
    host: "127.0.0.1:8080",
    "user-agent": "Prometheus/3.5.0",
    accept: "text/plain",
    "accept-encoding": "gzip",
    "x-prometheus-scrape-timeout-seconds": "10",
  };
  expect(cameOverProxy(headers)).toBe(false);
});
