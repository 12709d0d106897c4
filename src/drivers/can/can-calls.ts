import { bytes, type Call, integer, list, text } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import { MAX_CAN_BYTES, MAX_EXTENDED_ID } from "#drivers/port/can-bus.ts";
import { byteText, numberOf } from "#drivers/port/port-answer.ts";
import type { PortAnswer, PortRequest, PortSession } from "#drivers/port/port-request.ts";

const MAX_CAN_IDS = 1024;
const MAX_CAN_FRAMES = 16_384;

/** A script's handle is the name of the port. */
export function canCalls(ports: PortSession): Readonly<Record<string, Call>> {
  const on = async (port: LuaValue, request: PortRequest): Promise<PortAnswer> =>
    await ports.call(text(port, "port"), request);

  return {
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
  };
}

function canId(value: LuaValue): number {
  return integer(value, "CAN id", [0, MAX_EXTENDED_ID]);
}
