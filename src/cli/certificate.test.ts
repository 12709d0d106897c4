// A server with a certificate that is not accepted is reported as such, and --ca names whom to trust.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { authorityCertificate, certify, DAY } from "../../test/support/certificates.ts";
import { runBusbar } from "../../test/support/run-busbar.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";

const known = getCACertificates("default");
afterAll(() => setDefaultCACertificates(known));

function authorityFile(): string {
  const file = join(tempFolder(), "ca.pem");
  writeFileSync(file, authorityCertificate());
  return file;
}

async function serve(certificate?: ReturnType<typeof certify>): Promise<string> {
  const answer = (
    _: unknown,
    response: { setHeader(name: string, value: string): unknown; end(text: string): unknown },
  ) => {
    response.setHeader("content-type", "application/json");
    response.end('{"status":"ok"}');
  };
  const server = certificate === undefined ? createPlain(answer) : createServer(certificate, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const health = (url: string, ...more: readonly string[]) => runBusbar(["health", "--url", url, ...more]);

test("a certificate of an unknown authority is refused, and --ca or BUSBAR_CA accepts it", async () => {
  const url = await serve(certify(["127.0.0.1"], -DAY, DAY));
  const refused = await health(url);
  expect(refused.code).toBe(5);
  expect(refused.err).toContain("its certificate is not accepted, so nothing was sent");
  expect(refused.err).toContain("--ca FILE");
  expect(await health(url, "--ca", authorityFile())).toMatchObject({ code: 0 });
  expect((await runBusbar(["health", "--url", url], { env: { BUSBAR_CA: authorityFile() } })).code).toBe(0);
});

test.each([
  ["expired", certify(["127.0.0.1"], -2 * DAY, -DAY), "it has expired"],
  ["not yet valid", certify(["127.0.0.1"], DAY, 2 * DAY), "it is not valid yet"],
  ["for another name", certify(["busbar.example"], -DAY, DAY), "it is for another name"],
])("a certificate that is %s is reported as such", async (_, certificate, problem) => {
  const { code, err } = await health(await serve(certificate), "--ca", authorityFile());
  expect(code).toBe(5);
  expect(err).toContain(problem);
});

test("a server without TLS and a file without a certificate are reported", async () => {
  expect((await health(await serve(), "--ca", authorityFile())).err).toContain("it does not speak TLS");
  const file = join(tempFolder(), "empty.pem");
  writeFileSync(file, "nothing");
  expect(await health("https://127.0.0.1:1", "--ca", file)).toMatchObject({ code: 2 });
  expect((await health("https://127.0.0.1:1", "--ca", "/nonexistent.pem")).err).toContain("is not there");
});
