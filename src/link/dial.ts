// Outgoing connections of a gateway to its cloud.
import { refuse } from "#core/app-error.ts";
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
  socket.once("error", (error) => reject(new Error(`${address.host} cannot be reached: ${error.message}`)));
  socket.once("unexpected-response", (_request, response) => {
    readText(response).then(
      (body) => reject(new Error(`${address.host} refuses the gateway: ${messageOf(body, response.statusCode)}`)),
      reject,
    );
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
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw refuse("cloud_unreachable", `${address.host} cannot be reached: ${reason}`);
  }
  const body = await response.text();
  if (!response.ok) throw refuse("cloud_unreachable", `the cloud refuses: ${messageOf(body, response.status)}`);
  const { gateway_id: gatewayId, credential } = JSON.parse(body) as Record<string, unknown>;
  if (typeof gatewayId !== "string" || typeof credential !== "string") {
    throw refuse("cloud_unreachable", `${address.host} does not answer like a Busbar cloud`);
  }
  return { gatewayId, credential };
};

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
  try {
    const { errors } = JSON.parse(body) as { errors?: readonly { message?: unknown }[] };
    const message = errors?.[0]?.message;
    if (typeof message === "string") return message;
  } catch {
    // Not ours: a proxy, for example.
  }
  return `status ${status ?? "unknown"}`;
}
