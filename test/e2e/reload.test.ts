// SIGHUP makes a running Busbar use a renewed certificate at once.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { certify } from "../support/certificates.ts";
import { startBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

async function serialAt(url: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

test("a renewed certificate serves after SIGHUP, and a broken one does not take its place", async () => {
  const folder = tempFolder();
  const [certificate, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const put = (pair: { readonly cert: string; readonly key: string }) => {
    writeFileSync(certificate, pair.cert);
    writeFileSync(key, pair.key);
  };
  put(certify(["localhost"]));
  const busbar = await startBusbar(folder, "--http-tls-cert", certificate, "--http-tls-key", key);
  const logged = (text: string) => busbar.log.filter((line) => line.includes(text)).length;
  const first = await serialAt(busbar.url);

  put(certify(["localhost"]));
  process.kill(busbar.pid, "SIGHUP");
  await expect.poll(() => logged("HTTP has a new certificate")).toBe(1);
  const second = await serialAt(busbar.url);
  expect(second).not.toBe(first);

  put({ ...certify(["localhost"]), key: certify(["localhost"]).key });
  process.kill(busbar.pid, "SIGHUP");
  await expect.poll(() => logged("is not used")).toBe(1);
  expect(await serialAt(busbar.url)).toBe(second);
  expect(await busbar.stop()).toBe(0);
});
