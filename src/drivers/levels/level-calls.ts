import { type Call, finite, integer, text } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import { numberOf } from "#drivers/port/port-answer.ts";
import type { PortAnswer, PortRequest, PortSession, Quantity } from "#drivers/port/port-request.ts";

const MAX_IMPULSE_MS = 3_600_000;
const QUANTITIES: readonly Quantity[] = ["state", "volts", "amps", "temperature", "counter"];

/** A script's handle is the name of the port. */
export function levelCalls(ports: PortSession): Readonly<Record<string, Call>> {
  const on = async (port: LuaValue, request: PortRequest): Promise<PortAnswer> =>
    await ports.call(text(port, "port"), request);
  const quantityOf = (value: LuaValue): Quantity => {
    const found = QUANTITIES.find((quantity) => quantity === value);
    if (found === undefined) throw new ConnectionError("invalid", "there is no such quantity");
    return found;
  };

  return {
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
