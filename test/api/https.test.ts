// HTTP over TLS by the site's own authority: the same server, with every kind of answer.
import { once } from "node:events";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { connect, getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { openSiteAuthority } from "#mqtt/pki/open-site-authority.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { openSocket } from "../support/web-socket.ts";

const known = getCACertificates("default");
// Run before the server starts: it finds the authority that is there.
beforeAll(() => {
  const { certificate } = openSiteAuthority(join(busbar.data, "pki"), () => instant(Date.now()));
  setDefaultCACertificates([...known, certificate]);
});
const busbar = useServer(["--http-tls", "site", "--http-names", "localhost"]);
afterAll(() => setDefaultCACertificates(known));

const ca = () => join(busbar.data, "pki", "ca.crt");

test("the printed address says https and the first name, and a call is answered", async () => {
  expect(busbar.url).toBe(`https://localhost:${busbar.port}`);
  expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
});

test("the cookie of a session is for TLS alone", async () => {
  const signedIn = await busbar.anonymous.post(
    "/v3/sessions",
    { token: ADMIN_TOKEN },
    { headers: { "Sec-Fetch-Site": "same-origin" } },
  );
  expect(signedIn.status).toBe(200);
  expect(signedIn.headers.get("set-cookie")).toMatch(/^__Host-.*; Secure$/);
});

test.each([
  ["TLSv1.1", false],
  ["TLSv1.2", true],
  ["TLSv1.3", true],
] as const)("a client with %s gets in: %s", async (version, getsIn) => {
  const socket = connect({
    port: busbar.port,
    host: "127.0.0.1",
    minVersion: version,
    maxVersion: version,
    ciphers: "DEFAULT@SECLEVEL=0",
  });
  const outcome = await Promise.race([
    once(socket, "secureConnect").then(() => true),
    new Promise<false>((resolve) => socket.once("error", () => resolve(false))),
  ]);
  socket.destroy();
  expect(outcome).toBe(getsIn);
});

test("a WebSocket and an event stream run over TLS", async () => {
  const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", { name: "meter" });
  const headers = { "X-Service-Auth-Token": ADMIN_TOKEN };
  const log = await openSocket(`${busbar.url}/v3/devices/${body.device_id}/logs`, headers);
  log.socket.close();
  await log.closed;
  const stream = await fetch(`${busbar.url}/v3/events`, { headers });
  const reader = stream.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(":");
  await reader?.cancel();
});

test("the command line names a certificate that it does not know, and accepts it with --ca", async () => {
  const words = ["health", "--url", `https://127.0.0.1:${busbar.port}`];
  setDefaultCACertificates(known);
  const refused = await runBusbar(words);
  expect(refused).toMatchObject({ code: 5 });
  expect(refused.err).toContain("its certificate is not accepted");
  expect(await runBusbar([...words, "--ca", ca()])).toMatchObject({ code: 0 });
});

test("the command line finds the server of this machine by its settings, and trusts its authority", async () => {
  setDefaultCACertificates(known);
  const env = { BUSBAR_DATA: busbar.data, BUSBAR_HTTP_TLS: "site", BUSBAR_PORT: String(busbar.port) };
  expect(await runBusbar(["health"], { env })).toMatchObject({ code: 0 });
});

test("who speaks without TLS gets no answer, is asked to write https, and harms nobody", async () => {
  const socket = connectPlain(busbar.port, "127.0.0.1");
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  let seen = "";
  socket.on("data", (part) => (seen += part.toString("latin1")));
  await once(socket, "close");
  expect(seen).not.toContain("HTTP/1.1");
  expect((await runBusbar(["health", "--url", `http://127.0.0.1:${busbar.port}`])).err).toContain("write https://");
  expect((await busbar.anonymous.get("/healthz")).status).toBe(200);
});
