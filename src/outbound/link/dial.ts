// Outgoing connections of a gateway to its cloud.
import type { IncomingMessage } from "node:http";
import { AppError, ERROR_CODES, refuse } from "#core/app-error.ts";
import { connectionWords } from "#core/net/connection-words.ts";
import { onAnswer } from "#outbound/on-answer.ts";
import { LINK_SOCKET_SETTINGS, webSocketLink } from "#service/link/web-socket-link.ts";
import type { AskCloud, LinkSocket, OpenLinkSocket } from "#service/ports/link-socket.ts";
import { guardedLookup, requireAllowed } from "./allowed-address.ts";

const HANDSHAKE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const LONGEST_ANSWER = 500;

export interface Dial {
  readonly openLinkSocket: OpenLinkSocket;
  readonly askCloud: AskCloud;
}

/** `mayBeLocal`: whether the cloud of this URL may be on this machine or its link. */
export function createDial(mayBeLocal: (url: string) => boolean): Dial {
  return {
    openLinkSocket: (url, credential, signal) => openSocket({ url, credential, signal }, mayBeLocal(url)),
    askCloud: (url, request) => exchangeCode(url, request, mayBeLocal(url)),
  };
}

async function openSocket(
  { url, credential, signal }: { readonly url: string; readonly credential: string; readonly signal: AbortSignal },
  mayBeLocal: boolean,
): Promise<LinkSocket> {
  const address = new URL("v3/link", withSlash(url));
  address.protocol = address.protocol === "https:" || address.protocol === "wss:" ? "wss:" : "ws:";
  requireAllowed(address, mayBeLocal);
  // Loaded with the first connection: most gateways have no cloud.
  const { WebSocket } = await import("ws");
  if (signal.aborted) throw new Error("the gateway stops");
  const socket = new WebSocket(address, {
    ...LINK_SOCKET_SETTINGS,
    handshakeTimeout: HANDSHAKE_MS,
    lookup: guardedLookup(mayBeLocal),
    headers: { authorization: `Bearer ${credential}` },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(new Error("the gateway stops"));
  signal.addEventListener("abort", abort);
  socket.once("open", resolve);
  socket.once("error", (error) => reject(new Error(unreachable(address, error))));
  socket.once("unexpected-response", (_request, response) => {
    readText(response, AbortSignal.timeout(HANDSHAKE_MS)).then((body) => {
      const words = `${address.host} refuses the gateway: ${messageOf(body, response.statusCode)}`;
      reject(response.statusCode === 401 ? refuse("unauthorized", words) : new Error(words));
    }, reject);
  });
  try {
    await promise;
    return webSocketLink(socket);
  } catch (error) {
    socket.on("error", () => {});
    socket.terminate();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function exchangeCode(url: string, request: Parameters<AskCloud>[1], mayBeLocal: boolean) {
  const address = new URL("v3/gateways/join", withSlash(url));
  address.protocol = address.protocol.replace("ws", "http");
  requireAllowed(address, mayBeLocal);
  const { status, body } = await post(address, JSON.stringify(request), mayBeLocal);
  if (status >= 300 && status < 400) {
    throw refuse("cloud_unreachable", `${address.host} redirects to another address: give that address`);
  }
  if (status !== 200) {
    throw refuse("cloud_unreachable", `${address.host} refuses the gateway: ${messageOf(body, status)}`);
  }
  const { gateway_id: gatewayId, credential } = fieldsOf(body);
  const isAnswer = [gatewayId, credential].every((text) => typeof text === "string" && text.length <= LONGEST_ANSWER);
  if (!isAnswer) throw refuse("cloud_unreachable", `${address.host} does not answer like a Busbar cloud`);
  return { gatewayId: String(gatewayId), credential: String(credential) };
}

/** The whole exchange has to be over in time, and only so much of the answer is read. */
async function post(
  address: URL,
  body: string,
  mayBeLocal: boolean,
): Promise<{ readonly status: number; readonly body: string }> {
  const { request } = await (address.protocol === "https:" ? import("node:https") : import("node:http"));
  const signal = AbortSignal.timeout(HANDSHAKE_MS);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const settings = { method: "POST", headers, agent: false as const, lookup: guardedLookup(mayBeLocal), signal };
  const sent = request(address, settings);
  onAnswer(sent, resolve);
  // Also after the answer has come: what the other side does then is its own affair.
  sent.on("error", reject);
  sent.end(body);
  try {
    const answer = await promise;
    return { status: answer.statusCode ?? 0, body: await readText(answer, signal) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refuse("cloud_unreachable", unreachable(address, signal.aborted ? signal.reason : error));
  } finally {
    sent.destroy();
  }
}

/** Why the cloud cannot be reached, with what to do where the address or the certificate is the reason. */
function unreachable(address: URL, error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (reason instanceof AppError) return reason.message;
  const [code, text] = reason instanceof Error ? [codeOf(reason), reason.message] : ["", String(reason)];
  if (/SELF_SIGNED|^UNABLE_TO/.test(code)) {
    return (
      `${address.host} has a certificate of an authority that this machine does not know. If it is yours, start the ` +
      "gateway with NODE_EXTRA_CA_CERTS=FILE, where FILE has the certificate of that authority"
    );
  }
  if (/^CERT_|^ERR_TLS_CERT/.test(code)) return `the certificate of ${address.host} is not accepted: ${text}`;
  if (/WRONG_VERSION|^EPROTO/.test(code)) return `${address.host} does not speak TLS here: check the port and https://`;
  const why = reason instanceof DOMException ? `no answer within ${HANDSHAKE_MS / 1_000} s` : wordsOf(code, text);
  return `${address.host} cannot be reached: ${why}`;
}

const codeOf = (error: Error) => ("code" in error ? String(error.code) : "");

/** The words of the system's codes; what others say is passed on as it is. */
const wordsOf = (code: string, text: string) =>
  /^E[A-Z_]+$/.test(code) ? connectionWords(Object.assign(new Error(text), { code })) : text;

/** Nothing when the body is not an object in JSON: a proxy or another site, for example. */
function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const fields = JSON.parse(body) as Record<string, unknown> | null;
    return fields ?? {};
  } catch {
    return {};
  }
}

const withSlash = (url: string) => (url.endsWith("/") ? url : `${url}/`);

/** At most this much. */
async function readText(stream: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) break;
    signal.throwIfAborted();
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The words of a Busbar cloud. Of anything else only the status is repeated: it may be none of the caller's business. */
function messageOf(body: string, status: number | undefined): string {
  const { errors } = fieldsOf(body) as { errors?: readonly { code?: unknown; message?: unknown }[] };
  const { code, message } = (Array.isArray(errors) ? errors[0] : undefined) ?? {};
  const isOurs = typeof code === "string" && Object.hasOwn(ERROR_CODES, code) && typeof message === "string";
  return isOurs ? message.slice(0, LONGEST_ANSWER) : `status ${status ?? "unknown"}`;
}
