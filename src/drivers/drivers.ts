import type { LuaValue } from "./lua-value.ts";

/**
 * Calls of one device's script to the outside. The script sleeps until the promise settles. What a script should see
 * (nil, an error text) is among the results; a rejection is a bug of the host.
 */
export interface Drivers {
  /** `call("modbus.open", ["tcp://10.0.0.5:502"])` answers [handle], or [undefined, "why not"]. */
  call(name: string, args: readonly LuaValue[]): Promise<readonly LuaValue[]>;
  /** Ends all running calls and closes connections. */
  close(): void;
}
