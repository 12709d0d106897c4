// Pages of other origins may call the interface where a setting allows it.
import { describe, expect, test } from "vitest";
import { loadConfig } from "#config";
import { type TestServer, useServer } from "../support/server.ts";

const ORIGIN = "https://app.example";

const preflight = (busbar: TestServer, path: string, origin: string) =>
  fetch(busbar.url + path, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "x-service-auth-token,content-type",
    },
  });

describe("with origins", () => {
  const busbar = useServer(["--http-cors-origins", `${ORIGIN},http://localhost:5173`]);

  test.each([ORIGIN, "http://localhost:5173"])("a preflight of %s is answered, without a token", async (origin) => {
    for (const path of ["/v3/sites", "/api/telemetry/v1/timeseries", "/v3/devices/x/commands/execute"]) {
      const answer = await preflight(busbar, path, origin);
      expect([answer.status, await answer.json()]).toEqual([200, {}]);
      const header = (name: string) => answer.headers.get(`access-control-${name}`);
      expect(header("allow-origin")).toBe(origin);
      expect(header("allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
      for (const name of ["X-Service-Auth-Token", "X-Enapter-Auth-Token", "Authorization", "Content-Type", "Prefer"]) {
        expect(header("allow-headers")?.split(", ")).toContain(name);
      }
      expect(header("max-age")).toBe("600");
      expect(header("allow-credentials")).toBeNull();
      expect(answer.headers.get("vary")).toBe("Origin");
    }
  });

  test("answers and refusals may be read, with the headers that clients need", async () => {
    for (const session of [busbar.admin, busbar.anonymous]) {
      const { headers } = await session.get("/v3/sites", { headers: { Origin: ORIGIN } });
      expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(headers.get("access-control-expose-headers")).toContain("X-Service-Timeseries-Data-Types");
    }
  });

  test.each(["https://evil.example", "https://app.example.evil.example", "http://app.example", "null"])(
    "a page of %s gets no permission",
    async (origin) => {
      const refused = await preflight(busbar, "/v3/sites", origin);
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([404, null]);
      const { status, headers } = await busbar.admin.get("/v3/sites", { headers: { Origin: origin } });
      expect([status, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([200, null, "Origin"]);
    },
  );

  test("a call without an origin is none of a page", async () => {
    const { headers } = await busbar.admin.get("/v3/sites");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("without the setting", () => {
  const busbar = useServer();
  test("nothing is allowed", async () => {
    const refused = await preflight(busbar, "/v3/sites", ORIGIN);
    expect(refused.status).toBe(404);
    const { headers } = await busbar.admin.get("/v3/sites", { headers: { Origin: ORIGIN } });
    expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([null, null]);
  });
});

describe("with *", () => {
  const busbar = useServer(["--http-cors-origins", "*"]);
  test("every origin is allowed", async () => {
    const answer = await preflight(busbar, "/v3/sites", "https://any.example");
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });
});

test.each(["app.example", "https://app.example/", "https://app.example/path", "ftp//x"])(
  "%s is no origin",
  async (text) => {
    const flags = ["--http-cors-origins", text];
    const load = loadConfig({ flags, env: {}, cwd: "/", readFile: () => undefined });
    await expect(load).rejects.toThrow("which is no origin");
  },
);
