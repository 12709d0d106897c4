// The reference for commands: a request and its response through the same broker library and the same client library
// without any code of ours, at QoS 1, with the broker in its own process.
import { createServer } from "node:net";
import { Aedes } from "aedes";
import { connectMqtt, ECHO } from "./device-process.ts";

/** Reports its port to the parent. */
export async function runBareBroker(): Promise<void> {
  const broker = await Aedes.createBroker();
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    broker.handle(socket);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.(typeof address === "object" && address !== null ? address.port : 0);
  });
  process.on("disconnect", () => process.exit(0));
}

/** Gives the function that makes one round trip. */
export async function openRoundTrip(port: number): Promise<{ ask(): Promise<void>; close(): Promise<void> }> {
  const client = await connectMqtt(port);
  const waiting = new Map<string, () => void>();
  let last = 0;
  client.on("message", (_topic, payload) => {
    const { id } = JSON.parse(payload.toString("utf8")) as { id: string };
    waiting.get(id)?.();
    waiting.delete(id);
  });
  await client.subscribeAsync(ECHO.response, { qos: 1 });
  return {
    ask: () =>
      new Promise((resolve) => {
        const id = `00000000-0000-7000-8000-${String(++last).padStart(12, "0")}`;
        waiting.set(id, resolve);
        client.publish(ECHO.request, JSON.stringify({ id, name: "set_power", arguments: { power: 1 } }), { qos: 1 });
      }),
    close: () => client.endAsync(),
  };
}
