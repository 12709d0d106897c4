import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import type { Config } from "#config";

const PATIENCE_MS = 4_000;

/**
 * Whether the server that the settings of this machine describe answers at all. Its own certificate may be for another
 * name, and nothing secret is sent to it, so the certificate is not judged.
 */
export async function askAlive({ host, port, http }: Config): Promise<string> {
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const isSecure = http.tls !== "off" || http.tlsCert !== undefined;
  const place = `${isSecure ? "https" : "http"}://${address}:${port}/healthz`;
  const options = { host: address, port, path: "/healthz", timeout: PATIENCE_MS, rejectUnauthorized: false };
  const status = await new Promise<number>((resolve, reject) => {
    const asked = (isSecure ? getSecure : getPlain)(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    asked.on("error", (error) => reject(new Error(`${place}: ${error.message}`)));
  });
  if (status !== 200) throw new Error(`${place} answered ${status}`);
  return place;
}
