// Rules that speak HTTP, on a whole server: the installer's setting decides, also while they run.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENT } from "../../support/patient.ts";
import { useServer } from "../../support/server.ts";

/** Another address of this machine, so that the server's own stays forbidden. */
const PEER = "127.0.0.2";
const busbar = useServer(["--lua-allow", `${PEER},private,public`]);
const peer = createServer((_, response) => response.end('{"price": 0.31}'));
let engine = "";
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    peer.listen(0, PEER, resolve);
  });
  url = `http://${PEER}:${(peer.address() as AddressInfo).port}`;
  const { body } = await busbar.admin.get<{ site: { id: string } }>("/v3/site");
  engine = `/v3/sites/${body.site.id}/rule_engine`;
});
afterAll(() => {
  peer.closeAllConnections();
  peer.close();
});

async function create(slug: string, text: string): Promise<void> {
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3" };
  const { errors } = await busbar.admin.post(`${engine}/rules`, { slug, script });
  expect(errors).toEqual([]);
}

async function untilLogged(slug: string, ...expected: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await busbar.admin.get<{ logs: readonly { message: string }[] }>(`${engine}/rules/${slug}/logs`);
    expect(body.logs.map(({ message }) => message)).toEqual(expect.arrayContaining([...expected]));
  }, PATIENT);
}

test("a rule reads a price from a server that is allowed, and not from this one", async () => {
  await create(
    "price",
    `local response = http.get('${url}/today')
    enapter.log('price ' .. json.decode(response.body).price)
    local _, why = http.get('${busbar.url}/healthz')
    enapter.log(why)`,
  );
  const refused = `127.0.0.1:${busbar.port} is not allowed for this rule; the setting lua.allow says what is`;
  await untilLogged("price", "price 0.31", refused);
});
