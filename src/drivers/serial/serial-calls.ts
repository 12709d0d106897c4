import { bytes, type Call, integer, text, timeout } from "#drivers/arguments.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import { byteText } from "#drivers/port/port-answer.ts";
import type { PortAnswer, PortRequest, PortSession } from "#drivers/port/port-request.ts";

const MAX_SERIAL_BYTES = 65_536;

/** A script's handle is the name of the port. */
export function serialCalls(ports: PortSession): Readonly<Record<string, Call>> {
  const on = async (port: LuaValue, request: PortRequest): Promise<PortAnswer> =>
    await ports.call(text(port, "port"), request);

  return {
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
  };
}
