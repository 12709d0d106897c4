// A renewed certificate is used without a restart, however its files are written, and never half of it.
import { once } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "#config";
import { instant } from "#core/time/instant.ts";
import { createTroubles } from "#service/troubles.ts";
import { openBareServer, quick } from "../../test/support/bare-server.ts";
import { authorityCertificate, certify } from "../../test/support/certificates.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { type HttpCertificate, openHttpCertificate } from "./http-certificate.ts";

type Pair = ReturnType<typeof certify>;

async function setUp() {
  const folder = tempFolder();
  const files = { cert: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  const write = (pair: Partial<Pair>) => {
    for (const [name, text] of Object.entries(pair)) writeFileSync(files[name as keyof Pair], text);
  };
  const open = async () => {
    const flags = ["--data", folder, "--http-tls-cert", files.cert, "--http-tls-key", files.key];
    const { config } = await loadConfig({ flags, env: {}, cwd: folder, readFile: () => undefined });
    const opened = await openHttpCertificate(
      { now: () => instant(Date.now()), log: pino({ level: "silent" }), troubles },
      config,
    );
    if (opened === undefined) throw new Error("TLS is off");
    return opened;
  };
  const troubles = createTroubles(() => {});
  return { files, write, open, troubles: () => troubles.list().map(({ message }) => message) };
}

/** The certificate that a client is shown. */
async function shown(port: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", ca: authorityCertificate() });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket.getPeerX509Certificate()?.fingerprint256 ?? "";
}

const looks = async (certificate: HttpCertificate, times: number) => {
  for (let look = 0; look < times; look += 1) await certificate.look();
};

test.each<[how: string, write: (files: Pair, pair: Pair) => void]>([
  [
    "in place",
    (files, pair) => {
      writeFileSync(files.cert, pair.cert);
      writeFileSync(files.key, pair.key);
    },
  ],
  [
    "by renaming new files over the old ones",
    (files, pair) => {
      for (const name of ["cert", "key"] as const) {
        writeFileSync(`${files[name]}.new`, pair[name]);
        renameSync(`${files[name]}.new`, files[name]);
      }
    },
  ],
])("a pair that is written %s is used at the second look, and new connections get it", async (_how, replace) => {
  const { files, write, open, troubles } = await setUp();
  const [old, renewed] = [certify(["127.0.0.1"]), certify(["127.0.0.1", "localhost"])];
  write(old);
  const certificate = await open();
  const { port } = await openBareServer([quick], { certificate });
  const before = await shown(port);
  replace(files, renewed);
  await looks(certificate, 1);
  expect(await shown(port)).toBe(before);
  await looks(certificate, 1);
  expect(await shown(port)).not.toBe(before);
  expect(certificate.identity).toMatchObject({ certificate: renewed.cert, privateKey: renewed.key });
  expect(troubles()).toEqual([]);
});

test.each<[what: string, broken: (renewed: Pair) => Partial<Pair>, problem: string]>([
  ["a certificate without its key", ({ cert }) => ({ cert }), "http.tls_key is not the key of the certificate"],
  ["a key without its certificate", ({ key }) => ({ key }), "http.tls_key is not the key of the certificate"],
  ["a cut certificate", ({ cert, key }) => ({ cert: cert.slice(0, 300), key }), "http.tls_cert holds no certificate"],
  [
    "a chain of which the end is missing",
    ({ cert, key }) => ({ cert: cert + cert.slice(0, 300), key }),
    "or not all of it",
  ],
  ["a cut key", ({ cert, key }) => ({ cert, key: key.slice(0, 100) }), "http.tls_key holds no private key"],
  ["empty files", () => ({ cert: "", key: "" }), "http.tls_cert holds no certificate"],
])(
  "%s is not used, the old pair goes on, and it is reported until the files are whole",
  async (_what, broken, problem) => {
    const { write, open, troubles } = await setUp();
    const [old, renewed] = [certify(["127.0.0.1"]), certify(["127.0.0.1"])];
    write(old);
    const certificate = await open();
    write(broken(renewed));
    await looks(certificate, 3);
    expect(certificate.identity).toMatchObject({ certificate: old.cert, privateKey: old.key });
    expect(troubles()).toEqual([expect.stringContaining(problem)]);
    write(renewed);
    await looks(certificate, 2);
    expect(certificate.identity).toMatchObject({ certificate: renewed.cert, privateKey: renewed.key });
    expect(troubles()).toEqual([]);
  },
);

test("a file that is away is reported, without its place, and a reload takes the new one at once", async () => {
  const { files, write, open, troubles } = await setUp();
  const [old, renewed] = [certify(["127.0.0.1"]), certify(["127.0.0.1"])];
  write(old);
  const certificate = await open();
  rmSync(files.key);
  await looks(certificate, 1);
  expect(troubles()).toEqual([expect.stringContaining("the file of http.tls_key is not there")]);
  expect(troubles().join()).not.toContain(files.key);
  write(renewed);
  await certificate.reload();
  expect(certificate.identity).toMatchObject({ certificate: renewed.cert });
  expect(troubles()).toEqual([]);
});

test("a start with files that do not belong together is refused with the reason", async () => {
  const { files, write, open } = await setUp();
  await expect(open()).rejects.toThrow(`http.tls_cert is not there: ${files.cert}`);
  write({ cert: certify(["127.0.0.1"]).cert, key: certify(["127.0.0.1"]).key });
  await expect(open()).rejects.toThrow("http.tls_key is not the key of the certificate in http.tls_cert");
});
