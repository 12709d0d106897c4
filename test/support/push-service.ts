// A push service and the browsers behind it: a real HTTP server, and keys with which an independent implementation decrypts.
import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import ece from "http_ece";
import { vi } from "vitest";

interface PushedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Browser {
  readonly subscription: { readonly endpoint: string; readonly p256dh: string; readonly auth: string };
  /** What its service has taken for it, decrypted. */
  readonly messages: readonly PushedMessage[];
  /** How the next requests are answered; 201 unless set. */
  answer: (response: ServerResponse) => void;
}

export interface PushService {
  readonly url: string;
  browser(): Browser;
  stop(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<
    string,
    { readonly one: Browser; readonly take: (body: Buffer, headers: IncomingHttpHeaders) => void }
  >();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const found = browsers.get(request.url ?? "");
      if (found === undefined) return void response.writeHead(404).end();
      found.take(Buffer.concat(parts), request.headers);
      found.one.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    browser() {
      const path = `/push/${randomBytes(12).toString("base64url")}`;
      const privateKey = createECDH("prime256v1");
      const p256dh = privateKey.generateKeys().toString("base64url");
      const auth = randomBytes(16).toString("base64url");
      const messages: PushedMessage[] = [];
      const one: Browser = {
        subscription: { endpoint: `${url}${path}`, p256dh, auth },
        messages,
        answer: (response) => void response.writeHead(201).end(),
      };
      browsers.set(path, {
        one,
        take(body, headers) {
          const text = ece.decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth }).toString("utf8");
          messages.push({ headers, body, text, json: JSON.parse(text) });
        },
      });
      return one;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the header says about its sender, once the signature is right. */
export function checkVapid(authorization: string | undefined): {
  readonly key: string;
  readonly claims: Record<string, unknown>;
} {
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization ?? "") ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y } as never, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  const isRight = verify(
    "sha256",
    signed,
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isRight) throw new Error("the signature does not belong to the key");
  return { key, claims: JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) };
}

/** The next message that fits. */
export const pushed = async (browser: Browser, fits: (message: PushedMessage) => boolean = () => true) =>
  await vi.waitUntil(() => browser.messages.find(fits), { timeout: 60_000, interval: 20 });
