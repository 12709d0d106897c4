// What people read when a gateway cannot join: which address or code is wrong, and what would be right.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { certify, DAY } from "../support/certificates.ts";
import { useServer } from "../support/server.ts";

const cloud = useServer(["--role", "cloud", "--mqtt-port", "off"]);
const gateway = useServer(["--mqtt-port", "off"]);
let site: Server;
let port: number;

const ANSWERS: Readonly<Record<string, readonly [number, string]>> = {
  "/page/v3/gateways/join": [200, "<html>hello"],
  "/nothing/v3/gateways/join": [200, "null"],
  "/bad/v3/gateways/join": [502, "<html>bad gateway"],
};

beforeAll(async () => {
  site = createServer((request, response) => {
    const [status, body] = ANSWERS[request.url ?? ""] ?? [308, ""];
    response.writeHead(status, { location: "https://cloud.example" }).end(body);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  ({ port } = site.address() as AddressInfo);
});
afterAll(() => site.close());

async function refusalOf(url: string, code = "wrong"): Promise<string> {
  const { status, errors } = await gateway.admin.post("/v3/uplink", { url, code });
  return `${status} ${errors[0]?.message}`;
}

test.each([
  "cloud.example",
  "ftp://cloud.example",
  "https://",
  "https://a b",
  "https://cloud.example:99999",
  "https://cloud.example/?a=1",
])("%s is no address of a cloud", async (url) => {
  expect(await refusalOf(url)).toBe(`400 url must be an address such as https://cloud.example, not "${url}"`);
});

test("an address must not carry a password, and it is not repeated", async () => {
  expect(await refusalOf("https://name:secret@cloud.example")).toBe("400 url must not carry a name or password");
});

test.each([
  ["page", "does not answer like a Busbar cloud"],
  ["nothing", "does not answer like a Busbar cloud"],
  ["bad", "refuses the gateway: status 502"],
  ["moved", "redirects to another address: give that address"],
])("a site that is no cloud is reported as such: %s", async (path, expected) => {
  expect(await refusalOf(`http://127.0.0.1:${port}/${path}`)).toBe(`409 127.0.0.1:${port} ${expected}`);
});

test("http where TLS is expected, and a port where nobody listens, are explained in words", async () => {
  expect(await refusalOf(`https://127.0.0.1:${port}`)).toContain(
    "does not speak TLS here: check the port and https://",
  );
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  expect(await refusalOf(`http://127.0.0.1:${free}`)).toBe(
    `409 127.0.0.1:${free} cannot be reached: the connection was refused`,
  );
});

test("a certificate of an unknown authority is reported with what makes the gateway accept it", async () => {
  const secured = createSecureServer(certify(["127.0.0.1"], -DAY, DAY)).listen(0, "127.0.0.1");
  onTestFinished(() => void secured.close());
  await once(secured, "listening");
  const { port: itsPort } = secured.address() as AddressInfo;
  expect(await refusalOf(`https://127.0.0.1:${itsPort}`)).toContain("start the gateway with NODE_EXTRA_CA_CERTS=FILE");
});

test("a gateway is no cloud, and a cloud joins none", async () => {
  expect(await refusalOf(gateway.url)).toContain(
    "refuses the gateway: this server is a gateway; gateways join a cloud",
  );
  const { errors } = await cloud.admin.post("/v3/uplink", { url: cloud.url, code: "wrong" });
  expect(errors[0]?.message).toBe("this server is a cloud; only a gateway joins a cloud");
});

test.each(["soon", "0s", "31d", 2_592_001])("a code is not valid for %j: at most 30 days", async (expires_in) => {
  const { status, errors } = await cloud.admin.post("/v3/gateways/join_codes", { expires_in });
  expect([status, errors[0]?.details?.["pointer"], errors[0]?.message]).toEqual([
    400,
    "/expires_in",
    "expires_in must be a duration above 0 and up to 30d, such as 30d or 12h, or seconds",
  ]);
});

test("a wrong code is refused, and an address is kept without the slash at its end, as in the settings", async () => {
  expect(await refusalOf(cloud.url)).toContain("the code is unknown, was used before, was withdrawn or has expired");
  const { code } = (await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", {})).body;
  const joined = await gateway.admin.post<{ url: string }>("/v3/uplink", { url: `${cloud.url}/`, code });
  expect([joined.status, joined.body.url]).toEqual([200, cloud.url]);
});
