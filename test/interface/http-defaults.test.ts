// What holds over HTTP without any setting, and with two of them.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const open = useServer(["--http-metrics-public", "--http-cors-origins", "https://a.example"]);

check("http.cors-off", async () => {
  const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST" };
  const preflight = await fetch(`${busbar.url}/v3/sites`, { method: "OPTIONS", headers });
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  const call = await busbar.admin.get("/v3/sites", { headers });
  expect(call.headers.get("access-control-allow-origin")).toBeNull();
});

check("http.cors-origins", async () => {
  const preflight = (origin: string) =>
    fetch(`${open.url}/v3/sites`, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-service-auth-token",
      },
    });
  const allowed = await preflight("https://a.example");
  expect(allowed.ok).toBe(true);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://a.example");
  expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
  expect(allowed.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("x-service-auth-token");
  expect((await preflight("https://b.example")).headers.get("access-control-allow-origin")).toBeNull();
  const call = await open.admin.get("/v3/sites", { headers: { Origin: "https://a.example" } });
  expect(call.headers.get("access-control-allow-origin")).toBe("https://a.example");
});

check("resources.metrics-loopback", async () => {
  const { status, headers, text } = await busbar.anonymous.get("/metrics");
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
  expect(text).toMatch(/^# TYPE \w+ (counter|gauge)$/m);
  const forwarded = { headers: { "X-Forwarded-For": "203.0.113.9" } };
  expect((await busbar.anonymous.get("/metrics", forwarded)).status).toBe(403);
  expect((await open.anonymous.get("/metrics", forwarded)).status).toBe(200);
});
