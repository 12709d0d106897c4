// The other side of a link as the abuser: a joined gateway towards its cloud, and a cloud towards a gateway.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { type Abuse, flood, type Stop, type World } from "../abuse.ts";
import { localAddress } from "../client.ts";
import {
  BOMBS,
  badRecords,
  deviceRecord,
  endlessPoints,
  FULL,
  HELLO,
  NESTED,
  records,
  siteRecord,
  WELCOME,
} from "../link-messages.ts";
import { packedJson, type RawLink, rawLink } from "../raw-link.ts";

/** Gateways of the abuser. */
const GATEWAYS = 3;

/** What a gateway does with a connection, until it is cut off. */
type Act = (link: RawLink, world: World, turn: number) => Promise<void>;

async function join(world: World): Promise<string> {
  const { code } = await world.ask<{ code: string }>("system", "POST", "/v3/gateways/join_codes", {});
  const body = { code, name: "hostile", version: "1" };
  return (await world.ask<{ credential: string }>("system", "POST", "/v3/gateways/join", body)).credential;
}

async function connect({ url, address }: World, credential: string): Promise<RawLink> {
  const local = localAddress(address);
  const socket = new WebSocket(`${url.replace("http", "ws")}/v3/link`, {
    headers: { authorization: `Bearer ${credential}` },
    rejectUnauthorized: false,
    perMessageDeflate: false,
    ...(local !== undefined && { localAddress: local }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("open", resolve);
  socket.once("error", reject);
  await promise;
  return rawLink(socket);
}

/** Gateways join, connect, do their worst until they are cut off, and connect again. */
export async function attack(world: World, act: Act, gateways = GATEWAYS): Promise<Stop> {
  const links = new Set<RawLink>();
  const credentials = await Promise.all(Array.from({ length: gateways }, () => join(world)));
  let isOver = false;
  const stops = credentials.map((credential) =>
    flood(world, 1, async (turn) => {
      const link = await connect(world, credential);
      world.count("connected");
      if (isOver) return link.close();
      links.add(link);
      await act(link, world, turn);
      link.close();
      links.delete(link);
    }),
  );
  return async () => {
    isOver = true;
    for (const stop of stops) await stop();
    for (const link of links) link.close();
  };
}

const oneAfterTheOther =
  (messages: readonly Uint8Array[]): Act =>
  async (link, world, turn) => {
    await link.send(messages[(turn - 1) % messages.length] ?? HELLO);
    world.count("sent");
    await link.ended;
  };

/** Says hello and sends without end. */
const withoutEnd =
  (open: (siteId: string, deviceId: string) => (turn: number) => Uint8Array): Act =>
  async (link, world) => {
    const [siteId, deviceId] = [randomUUID(), randomUUID()];
    await link.send(HELLO);
    await link.heard;
    await link.send(records(1, [siteRecord(siteId), deviceRecord(deviceId, siteId)]));
    const make = open(siteId, deviceId);
    for (let turn = 1; link.isOpen(); turn++) {
      await link.send(make(turn));
      world.count("sent");
    }
  };

export const ACTS = {
  "packed bombs": oneAfterTheOther(BOMBS),
  "endless nesting": oneAfterTheOther(NESTED),
  "as many values as a message may have": oneAfterTheOther([FULL]),
  "devices without end, among records that break every rule": withoutEnd(
    (siteId) => (turn) => records(turn + 1, badRecords(siteId)),
  ),
  "telemetry of ever new attributes without end": withoutEnd((_, deviceId) => endlessPoints(deviceId)),
  "the connectivity of unknown devices without end": withoutEnd(() => {
    const devices = Array.from({ length: 12_000 }, (_, n) => [`d${n}`, "ONLINE"]);
    const message = packedJson(JSON.stringify({ type: "connectivity", devices }));
    return () => message;
  }),
} satisfies Readonly<Record<string, Act>>;

export const LINK_ABUSES: readonly Abuse[] = Object.entries(ACTS).map(([what, act]) => ({
  name: `gateways that send ${what}`,
  who: "gateway",
  role: "cloud",
  start: (world) => attack(world, act),
}));

const UPLINK = "/v3/uplink";

/** A cloud that the gateway joins. */
function asCloud(act: Act): Abuse["start"] {
  return async (world) => {
    const http = createServer((request, response) => {
      request.resume();
      response.end(JSON.stringify({ gateway_id: randomUUID(), credential: "c" }));
    });
    const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
    let turn = 0;
    sockets.on("connection", (socket) => {
      world.count("connected");
      const link = rawLink(socket);
      void link.heard.then(() => act(link, world, turn++)).catch((error: Error) => world.count(error.message));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const began = Promise.withResolvers<void>();
    sockets.once("connection", () => began.resolve());
    await world.ask("system", "POST", UPLINK, { url, code: "code" });
    await began.promise;
    return async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      http.closeAllConnections();
      http.close();
      await world.call("system", "DELETE", UPLINK);
    };
  };
}

export const HOSTILE_CLOUDS: readonly Abuse[] = [
  {
    name: "a cloud that answers with packed bombs",
    who: "cloud",
    start: asCloud(async (link, world, turn) => {
      await link.send([...BOMBS, ...NESTED, FULL][turn % (BOMBS.length + NESTED.length + 1)] ?? FULL);
      world.count("sent");
    }),
  },
  {
    name: "a cloud that asks for executions and shares tokens without end",
    who: "cloud",
    start: asCloud(async (link, world) => {
      await link.send(WELCOME);
      const ask = packedJson(
        JSON.stringify({ type: "ask", executions: Array.from({ length: 45_000 }, (_, n) => `${n}`) }),
      );
      const token = { id: randomUUID(), name: "t", level: "owner", createdAt: 1, sites: "all", hash: "0".repeat(64) };
      const tokens = packedJson(
        JSON.stringify({
          type: "tokens",
          tokens: Array.from({ length: 1_000 }, () => ({ ...token, id: randomUUID() })),
        }),
      );
      for (let at = 0; link.isOpen(); at++) {
        await link.send(at % 2 === 0 ? ask : tokens);
        world.count("sent");
      }
    }),
  },
];
