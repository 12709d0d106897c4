// The calls of one device's script to the outside: arguments are checked, and results have the shape that scripts
// expect. A failure outside is a text among the results; a failure of the host is a rejection.
import type { Drivers } from "#drivers/drivers.ts";
import { bytesOf, type LuaValue } from "#drivers/lua-value.ts";
import type { Call } from "./arguments.ts";
import { ConnectionError } from "./connection-error.ts";
import type { OpenDriver } from "./driver.ts";
import type { PeerWatch } from "./watch-peers.ts";

/** A script sleeps during a call, so more than one at a time is rare. */
const MAX_CALLS = 16;
/**
 * A call with another's name as its first argument: first among its results is the code of the failure, or `none`.
 * For hosts of older scripts, whose failures are numbers.
 */
const CODED = "coded";

export function createDrivers(drivers: readonly OpenDriver[], watch?: PeerWatch): Drivers {
  const all: ReadonlyMap<string, Call> = new Map(drivers.flatMap(({ calls }) => Object.entries(calls)));
  let underWay = 0;
  let isClosed = false;
  /** Throws a `ConnectionError` for a failure outside. */
  async function perform(name: string, args: readonly LuaValue[]): Promise<readonly LuaValue[]> {
    const call = all.get(name);
    if (call === undefined) throw new Error(`there is no driver call ${name}`);
    if (isClosed) throw new ConnectionError("closed", "the device has stopped");
    if (underWay >= MAX_CALLS) throw new ConnectionError("busy", `${MAX_CALLS} calls are under way already`);
    underWay++;
    try {
      const results = await call(args);
      watch?.succeeded(name, args, results);
      return results;
    } catch (error) {
      if (error instanceof ConnectionError && !isClosed) watch?.failed(name, args, error);
      throw error;
    } finally {
      underWay--;
    }
  }

  return {
    async call(name, args) {
      const isCoded = name === CODED;
      try {
        if (!isCoded) return await perform(name, args);
        const [inner, ...rest] = args;
        return ["none", ...(await perform(String(inner), rest))];
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        return isCoded ? [error.code, bytesOf(error.message)] : [undefined, bytesOf(error.message)];
      }
    },
    close() {
      isClosed = true;
      for (const driver of drivers) driver.close();
    },
  };
}
