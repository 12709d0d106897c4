// Long answers are compressed for clients that ask for it, and only answers to reads.
import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { createGunzip, gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { mayCompress } from "#http/compress-answers.ts";
import { allRoutes } from "../support/all-routes.ts";
import { ADMIN_TOKEN, type TestServer, useServer } from "../support/server.ts";

interface Raw {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly token?: string;
  /** Whether it comes over a proxy, from anywhere. Answers within a machine are not compressed. */
  readonly isNear?: boolean;
}

/** Without anything that a client adds or decodes by itself. */
async function ask({ url }: TestServer, path: string, encoding: string | undefined, asked: Asked = {}): Promise<Raw> {
  const { method = "GET", body, token = ADMIN_TOKEN, isNear = false } = asked;
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(!isNear && { "X-Forwarded-For": "192.0.2.7" }),
    ...(encoding !== undefined && { "Accept-Encoding": encoding }),
  };
  const call = request(url + path, { method, headers });
  call.end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  const pieces = await Array.fromAsync(answer as AsyncIterable<Buffer>);
  return { headers: answer.headers, bytes: Buffer.concat(pieces) };
}

const ROWS = 20_000;

describe("an interface that compresses", () => {
  const busbar = useServer(["--mqtt-port", "off"]);
  let device = "";
  const devices = "/v3/devices?limit=100&expand=manifest";
  const series = () => ({
    method: "POST",
    body: JSON.stringify({
      from: 0,
      to: ROWS,
      granularity: "1s",
      aggregation: "last",
      telemetry: [{ device, attribute: "power" }],
    }),
  });

  beforeAll(async () => {
    const { site } = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Long" })).body;
    const telemetry = {
      power: { type: "float", display_name: "Power", description: "watts of the site, ".repeat(300) },
    };
    const bytes = JSON.stringify({
      blueprint_spec: "device/3.0",
      display_name: "Long",
      runtime: { type: "embedded" },
      telemetry,
    });
    const upload = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
    const wanted = { name: "Long", site_id: site.id, blueprint_id: upload.body.blueprint.id };
    device = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted)).body.device_id;
    const csv = `ts,telemetry=power\n${Array.from({ length: ROWS }, (_, i) => `${i},${(i * 7919) % 1_000}\n`).join("")}`;
    const path = `/v3/devices/${device}/telemetry/import`;
    expect((await busbar.admin.call("POST", path, { bytes: csv })).status).toBe(200);
  });

  test.each([
    ["gzip", "gzip", gunzipSync],
    ["gzip, deflate, br, zstd", "zstd", zstdDecompressSync],
    ["zstd;q=0, GZIP;q=0.5", "gzip", gunzipSync],
  ])("a long list for a client that accepts %s comes as %s", async (accepted, encoding, unpack) => {
    const plain = await ask(busbar, devices, undefined);
    const packed = await ask(busbar, devices, accepted);
    expect(packed.headers).toMatchObject({
      "content-encoding": encoding,
      "content-type": "application/json",
      vary: "Accept-Encoding",
    });
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(unpack(packed.bytes).toString()).toBe(plain.bytes.toString());
  });

  test.each([undefined, "", "identity", "br", "gzip;q=0", "gzip;q=0.0, zstd;q=0"])(
    "accepting %j, a client gets it as it is",
    async (accepted) => {
      const { headers, bytes } = await ask(busbar, devices, accepted);
      expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "Accept-Encoding"]);
      expect(JSON.parse(bytes.toString())).toMatchObject({
        devices: expect.arrayContaining([expect.objectContaining({ name: "Long" })]),
      });
    },
  );

  test("within a machine it is sent as it is", async () => {
    const { headers } = await ask(busbar, devices, "gzip", { isNear: true });
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "Accept-Encoding"]);
  });

  test("a short answer is sent as it is", async () => {
    const { headers } = await ask(busbar, `/v3/devices/${device}`, "gzip");
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
  });

  test("a long time series is compressed as it comes", async () => {
    const path = "/telemetry/v1/timeseries";
    const plain = await ask(busbar, path, undefined, series());
    const packed = await ask(busbar, path, "gzip, zstd", series());
    expect(packed.headers).toMatchObject({ "content-type": "text/csv", "content-encoding": expect.any(String) });
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    const unpack = packed.headers["content-encoding"] === "gzip" ? gunzipSync : zstdDecompressSync;
    expect(unpack(packed.bytes).toString()).toBe(plain.bytes.toString());
  });

  test("a refusal, an answer to HEAD and a call without a token are as they were", async () => {
    const unknown = await ask(busbar, `/v3/devices/${"x".repeat(5_000)}`, "gzip");
    expect(unknown.headers["content-encoding"]).toBeUndefined();
    const head = await ask(busbar, devices, "gzip", { method: "HEAD" });
    expect([head.headers["content-encoding"], head.bytes.length]).toEqual([undefined, 0]);
    const nobody = await ask(busbar, devices, "gzip", { token: "wrong" });
    expect(nobody.headers["content-encoding"]).toBeUndefined();
  });

  test("many at once, and clients that leave, use nothing up", async () => {
    const path = `/v3/devices/${device}/telemetry/export?from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z`;
    const headers = {
      Authorization: `Bearer ${ADMIN_TOKEN}`,
      "Accept-Encoding": "gzip",
      "X-Forwarded-For": "192.0.2.7",
    };
    for (let round = 0; round < 20; round++) {
      await new Promise<void>((resolve) => {
        const call = request(busbar.url + path, { headers }, (answer) => {
          answer.once("data", () => call.destroy());
          answer.once("close", resolve);
        });
        call.on("error", () => resolve()).end();
      });
    }
    const all = await Promise.all(Array.from({ length: 40 }, () => ask(busbar, devices, "gzip")));
    const texts = all.map(({ headers, bytes }) =>
      (headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString(),
    );
    expect(new Set(texts).size).toBe(1);
    await expect.poll(async () => (await ask(busbar, devices, "gzip")).headers["content-encoding"]).toBe("gzip");
  });

  test("events are compressed one by one: each arrives at once, and beyond some listeners they come as they are", async () => {
    const calls = Array.from({ length: 18 }, () => {
      const headers = {
        Authorization: `Bearer ${ADMIN_TOKEN}`,
        "Accept-Encoding": "gzip",
        "X-Forwarded-For": "192.0.2.7",
      };
      return request(`${busbar.url}/v3/events?kind.in=device`, { headers }).end();
    });
    const answers = await Promise.all(
      calls.map(async (call) => ((await once(call, "response")) as [IncomingMessage])[0]),
    );
    const encodings = answers.map(({ headers }) => headers["content-encoding"]);
    expect(encodings.toSorted()).toEqual([...new Array<string>(16).fill("gzip"), undefined, undefined]);
    const packed = answers[encodings.indexOf("gzip")];
    if (packed === undefined) throw new Error("no stream is compressed");
    const unpacked = packed.pipe(createGunzip()).setEncoding("utf8");
    let text = "";
    unpacked.on("data", (piece: string) => {
      text += piece;
    });
    await expect.poll(() => text).toContain("retry:");
    expect((await busbar.admin.patch(`/v3/devices/${device}`, { name: "Longer" })).status).toBe(200);
    await expect.poll(() => text).toContain("event: device");
    unpacked.on("error", () => {});
    for (const call of calls) call.on("error", () => {}).destroy();
    // What has left makes room for others.
    const next = async () => {
      const call = request(`${busbar.url}/v3/events`, {
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Accept-Encoding": "gzip", "X-Forwarded-For": "192.0.2.7" },
      }).end();
      const [answer] = (await once(call, "response")) as [IncomingMessage];
      call.on("error", () => {}).destroy();
      return answer.headers["content-encoding"];
    };
    await expect.poll(next).toBe("gzip");
  });

  test("only answers to reads are compressed: those that show a secret come from changes", () => {
    const compressed = allRoutes().filter(mayCompress);
    expect(compressed.length).toBeGreaterThan(40);
    const others = compressed.filter(({ method }) => method !== "GET").map(({ name, aliasOf }) => aliasOf ?? name);
    expect(new Set(others)).toEqual(new Set(["getTimeseries"]));
    expect(compressed.filter(({ level }) => level === "public")).toEqual([]);
  });
});

describe("with http.compress off", () => {
  const env = { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, BUSBAR_HTTP_COMPRESS: "false" };
  const busbar = useServer(["--mqtt-port", "off"], { env });

  test("everything is sent as it is", async () => {
    for (let n = 0; n < 30; n++) await busbar.admin.post("/v3/sites", { name: `Site ${n} ${"of many ".repeat(5)}` });
    const { headers, bytes } = await ask(busbar, "/v3/sites?limit=100", "gzip");
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
    expect(bytes.length).toBeGreaterThan(4_096);
  });
});
