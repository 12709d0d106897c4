// Serial lines, CAN buses and levels, all through the hub. A script's handle is the name of the port.

import type { LuaValue } from "#drivers/lua-value.ts";
import { ConnectionError, type PeerConnections } from "#drivers/peer-connections.ts";
import { MAX_CAN_BYTES, MAX_EXTENDED_ID } from "#drivers/port/can-bus.ts";
import type { PortAnswer, PortRequest, PortUse, Quantity } from "#drivers/port/port-request.ts";
import { bytes, type Call, finite, integer, list, text, timeout } from "./arguments.ts";
import { readPortUri } from "./connection-uri.ts";

const MAX_SERIAL_BYTES = 65_536;
const MAX_CAN_IDS = 1024;
const MAX_CAN_FRAMES = 16_384;
const MAX_IMPULSE_MS = 3_600_000;
const USES: readonly PortUse[] = ["serial", "can", "relay", "digitalin", "digitalout", "analogin", "analogout"];
const QUANTITIES: readonly Quantity[] = ["state", "volts", "amps", "temperature", "counter"];

export function portCalls({ ports }: PeerConnections): Readonly<Record<string, Call>> {
  const on = async (port: LuaValue, request: PortRequest): Promise<PortAnswer> =>
    await ports.call(text(port, "port"), request);
  const quantityOf = (value: LuaValue): Quantity => {
    const found = QUANTITIES.find((quantity) => quantity === value);
    if (found === undefined) throw new ConnectionError("invalid", "there is no such quantity");
    return found;
  };

  return {
    "port.open": async ([use, uri]) => {
      const known = USES.find((name) => name === use);
      if (known === undefined) throw new ConnectionError("invalid", "there is no such use of a port");
      const { name, parameters } = readPortUri(text(uri, "connection URI"));
      await ports.call(name, { op: "open", use: known, parameters });
      return [name];
    },
    "serial.read": async ([port, count, timeoutMs]) => {
      const answer = await on(port, {
        op: "serial.read",
        count: integer(count, "count", [1, MAX_SERIAL_BYTES]),
        timeoutMs: timeout(timeoutMs),
      });
      return [byteText(answer)];
    },
    "serial.receive": async ([port, count, timeoutMs]) => {
      const answer = await on(port, {
        op: "serial.receive",
        count: integer(count, "count", [1, MAX_SERIAL_BYTES]),
        timeoutMs: timeout(timeoutMs),
      });
      return [byteText(answer)];
    },
    "serial.write": async ([port, data]) => {
      await on(port, { op: "serial.write", data: bytes(data, "data", MAX_SERIAL_BYTES) });
      return [];
    },
    "serial.flush": async ([port]) => {
      await on(port, { op: "serial.flush" });
      return [];
    },
    "serial.lock": async ([port]) => {
      await on(port, { op: "serial.lock" });
      return [];
    },
    "serial.unlock": async ([port]) => {
      await on(port, { op: "serial.unlock" });
      return [];
    },
    "can.send": async ([port, id, data]) => {
      await on(port, { op: "can.send", id: canId(id), data: bytes(data, "data", MAX_CAN_BYTES) });
      return [];
    },
    "can.listen": async ([port, ids, size, policy]) => {
      const wanted = list(ids, "ids", MAX_CAN_IDS).map(canId);
      if (wanted.length === 0) throw new ConnectionError("invalid", "ids must not be empty");
      const filter = {
        ids: wanted,
        size: integer(size, "size", [1, Math.floor(MAX_CAN_FRAMES / wanted.length)]),
        drop: integer(policy ?? 0, "policy", [0, 1]) === 0 ? ("oldest" as const) : ("newest" as const),
      };
      return [numberOf(await on(port, { op: "can.listen", filter }))];
    },
    "can.take": async ([port, listener, ids]) => {
      const wanted = list(ids, "ids", MAX_CAN_IDS).map(canId);
      const frames = await on(port, {
        op: "can.take",
        listener: integer(listener, "handle", [1, 2 ** 31]),
        ids: wanted,
      });
      if (!Array.isArray(frames)) throw new TypeError("a port answered with something else than frames");
      return [frames.map((list: readonly Uint8Array[]) => list.map(byteText))];
    },
    "can.drops": async ([port, listener, id]) => [
      numberOf(await on(port, { op: "can.drops", listener: integer(listener, "handle", [1, 2 ** 31]), id: canId(id) })),
    ],
    "can.log": async ([port, size]) => [
      numberOf(await on(port, { op: "can.log", size: integer(size, "size", [1, MAX_CAN_FRAMES]) })),
    ],
    "can.take_log": async ([port, listener]) => {
      const taken = await on(port, { op: "can.take_log", listener: integer(listener, "handle", [1, 2 ** 31]) });
      if (typeof taken !== "object" || !("frames" in taken))
        throw new TypeError("a port answered with something else than frames");
      return [taken.frames.map(({ id, data }) => [id, byteText(data)]), taken.dropped];
    },
    "level.read": async ([port, quantity]) => [
      numberOf(await on(port, { op: "level.read", quantity: quantityOf(quantity) })),
    ],
    "level.write": async ([port, quantity, value]) => {
      const wanted = quantityOf(quantity);
      const level = wanted === "state" ? stateOf(value) : finite(value, wanted);
      await on(port, { op: "level.write", quantity: wanted, value: level });
      return [];
    },
    "level.impulse": async ([port, ms]) => {
      const duration = finite(ms, "duration");
      if (duration <= 0 || duration > MAX_IMPULSE_MS)
        throw new ConnectionError(
          "invalid",
          `duration must be more than 0 and at most ${MAX_IMPULSE_MS} ms, got ${duration}`,
        );
      await on(port, { op: "level.impulse", ms: duration });
      return [];
    },
  };
}

function stateOf(value: LuaValue): number {
  return typeof value === "boolean" ? Number(value) : integer(value, "state", [0, 1]);
}

function canId(value: LuaValue): number {
  return integer(value, "CAN id", [0, MAX_EXTENDED_ID]);
}

function byteText(answer: PortAnswer): string {
  if (!(answer instanceof Uint8Array)) throw new TypeError("a port answered with something else than bytes");
  return Buffer.from(answer).toString("latin1");
}

function numberOf(answer: PortAnswer): number {
  if (typeof answer !== "number") throw new TypeError("a port answered with something else than a number");
  return answer;
}
