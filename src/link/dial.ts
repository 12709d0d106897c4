// Outgoing connections of a gateway to its cloud.
import { refuse } from "#core/app-error.ts";
import { connectionWords } from "#core/net/connection-words.ts";
import { LINK_SOCKET_SETTINGS, webSocketLink } from "#service/link/web-socket-link.ts";
import type { AskCloud, OpenLinkSocket } from "#service/ports/link-socket.ts";

const HANDSHAKE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export const openLinkSocket: OpenLinkSocket = async (url, credential, signal) => {
  const address = new URL("v3/link", withSlash(url));
  address.protocol = address.protocol === "https:" || address.protocol === "wss:" ? "wss:" : "ws:";
  // Loaded with the first connection: most gateways have no cloud.
  const { WebSocket } = await import("ws");
  if (signal.aborted) throw new Error("the gateway stops");
  const socket = new WebSocket(address, {
    ...LINK_SOCKET_SETTINGS,
    handshakeTimeout: HANDSHAKE_MS,
    headers: { authorization: `Bearer ${credential}` },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(new Error("the gateway stops"));
  signal.addEventListener("abort", abort);
  socket.once("open", resolve);
  socket.once("error", (error) => reject(new Error(unreachable(address, error))));
  socket.once("unexpected-response", (_request, response) => {
    readText(response).then((body) => {
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
};

export const askCloud: AskCloud = async (url, request) => {
  const address = new URL("v3/gateways/join", withSlash(url));
  address.protocol = address.protocol.replace("ws", "http");
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      redirect: "error",
      signal: AbortSignal.timeout(HANDSHAKE_MS),
    });
  } catch (error) {
    throw refuse("cloud_unreachable", unreachable(address, error));
  }
  const body = await response.text();
  if (!response.ok) {
    throw refuse("cloud_unreachable", `${address.host} refuses the gateway: ${messageOf(body, response.status)}`);
  }
  const { gateway_id: gatewayId, credential } = fieldsOf(body);
  if (typeof gatewayId !== "string" || typeof credential !== "string") {
    throw refuse("cloud_unreachable", `${address.host} does not answer like a Busbar cloud`);
  }
  return { gatewayId, credential };
};

/** Why the cloud cannot be reached, with what to do where the address or the certificate is the reason. */
function unreachable(address: URL, error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const [code, text] = reason instanceof Error ? [codeOf(reason), reason.message] : ["", String(reason)];
  if (/SELF_SIGNED|^UNABLE_TO/.test(code)) {
    return (
      `${address.host} has a certificate of an authority that this machine does not know. If it is yours, start the ` +
      "gateway with NODE_EXTRA_CA_CERTS=FILE, where FILE has the certificate of that authority"
    );
  }
  if (/^CERT_|^ERR_TLS_CERT/.test(code)) return `the certificate of ${address.host} is not accepted: ${text}`;
  if (/WRONG_VERSION|^EPROTO/.test(code)) return `${address.host} does not speak TLS here: check the port and https://`;
  if (text === "unexpected redirect") return `${address.host} redirects to another address: give that address`;
  const why = reason instanceof DOMException ? `no answer within ${HANDSHAKE_MS / 1_000} s` : wordsOf(code, text);
  return `${address.host} cannot be reached: ${why}`;
}

const codeOf = (error: Error) => ("code" in error ? String(error.code) : "");

/** The words of the system's codes; what others say is told as it is. */
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

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function messageOf(body: string, status: number | undefined): string {
  const { errors } = fieldsOf(body) as { errors?: readonly { message?: unknown }[] };
  const message = Array.isArray(errors) ? errors[0]?.message : undefined;
  return typeof message === "string" ? message : `status ${status ?? "unknown"}`;
}
