// Connections and calls from an address without a token.
import type { Socket } from "node:net";
import { type Abuse, flood, type Stop, type World } from "../abuse.ts";
import { openSocket } from "./mqtt-device.ts";

const MANY = 3_000;

/** Opens up to so many connections and keeps them; `begin` writes to each. */
function holding(count: number, begin: (socket: Socket, world: World) => void): Abuse["start"] {
  return async (world) => {
    const open = new Set<Socket>();
    const end = flood(world, 32, async () => {
      if (open.size >= count) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return;
      }
      const socket = await openSocket(world, world.port);
      open.add(socket);
      socket.on("close", () => {
        open.delete(socket);
        world.count("closed by the server");
      });
      socket.resume();
      world.count("opened");
      begin(socket, world);
    });
    return async () => {
      await end();
      for (const socket of open) socket.destroy();
    };
  };
}

/** Sends a little every now and then, so that the connection is never quite idle. */
function trickle(socket: Socket, first: string, more: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(more), 500);
  socket.on("close", () => clearInterval(timer));
}

const refusedCalls = (path: string, headers: (turn: number) => Readonly<Record<string, string>>): Abuse["start"] => {
  return async (world): Promise<Stop> =>
    flood(world, 32, (turn) => world.call("nobody", "GET", path, { headers: headers(turn) }));
};

export const CONNECTION_ABUSES: readonly Abuse[] = [
  {
    name: "calls without a token, each of which is audited",
    who: "address",
    start: async (world) => flood(world, 32, () => world.call("nobody", "GET", `/v3/sites/${world.siteId}`)),
  },
  {
    name: "wrong tokens without end",
    who: "address",
    start: refusedCalls("/v3/devices", (turn) => ({ "X-Service-Auth-Token": `wrong-${turn}` })),
  },
  {
    name: "paths that do not exist",
    who: "address",
    start: async (world) => flood(world, 32, (turn) => world.call("nobody", "GET", `/${"x/".repeat(3_000)}${turn}`)),
  },
  {
    name: "3,000 connections that sent garbage",
    who: "address",
    start: holding(MANY, (socket) => socket.write("garbage\r\n\r\n")),
  },
  {
    name: "3,000 connections that send nothing",
    who: "address",
    start: holding(MANY, () => {}),
  },
  {
    name: "3,000 connections with headers that never end",
    who: "address",
    start: holding(MANY, (socket) => trickle(socket, "GET / HTTP/1.1\r\nHost: x\r\n", "X-More: 1\r\n")),
  },
  {
    name: "bodies that come a byte at a time",
    who: "token",
    start: (world) => {
      const head = [
        "POST /telemetry/v1/timeseries HTTP/1.1",
        "Host: x",
        `X-Service-Auth-Token: ${world.tokens.user}`,
        "Content-Type: application/json",
        "Content-Length: 1000000",
      ];
      return holding(1_000, (socket) => trickle(socket, `${head.join("\r\n")}\r\n\r\n{`, " "))(world);
    },
  },
  {
    name: "requests written one behind the other without reading",
    who: "token",
    start: (world) => {
      const one = `GET /v3/devices?limit=1000 HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Token: ${world.tokens.readonly}\r\n\r\n`;
      return holding(50, (socket) => {
        socket.pause();
        const batch = one.repeat(200);
        const write = () => {
          while (!socket.destroyed && socket.write(batch)) world.count("200 requests");
        };
        socket.on("drain", write);
        socket.write(batch);
      })(world);
    },
  },
  {
    name: "bodies without end that are refused at once",
    who: "address",
    start: holding(8, (socket, world) => {
      const piece = Buffer.alloc(65_536);
      const write = () => {
        while (!socket.destroyed && socket.write(piece)) world.count("64 KiB sent");
      };
      socket.on("drain", write);
      socket.write("POST /v3/sites HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000000000000\r\n\r\n");
      write();
    }),
  },
  {
    name: "a new connection for every call",
    who: "address",
    start: async (world) => flood(world, 64, () => world.call("nobody", "GET", "/healthz", { onNewConnection: true })),
  },
];
