// The calls of one device's script to the outside: arguments are checked, and results have the shape that scripts
// expect. A failure outside is a text among the results; a failure of the host is a rejection.
import type { Drivers } from "#runtime/lua/drivers.ts";
import { bytesOf } from "#runtime/lua/lua-value.ts";
import type { Call } from "./calls/arguments.ts";
import { httpCalls } from "./calls/http-calls.ts";
import { modbusCalls } from "./calls/modbus-calls.ts";
import { mqttCalls } from "./calls/mqtt-calls.ts";
import { portCalls } from "./calls/port-calls.ts";
import { ConnectionError, type PeerConnections } from "./peer-connections.ts";

/** A script sleeps during a call, so more than one at a time is rare. */
const MAX_CALLS = 16;

export function createDrivers(connections: PeerConnections, now: () => number): Drivers {
  const calls: ReadonlyMap<string, Call> = new Map(
    [modbusCalls(connections), httpCalls(connections, now), portCalls(connections), mqttCalls(connections)].flatMap(
      (part) => Object.entries(part),
    ),
  );
  let underWay = 0;
  let isClosed = false;
  return {
    async call(name, args) {
      const call = calls.get(name);
      if (call === undefined) throw new Error(`there is no driver call ${name}`);
      const fails = (text: string) => [undefined, bytesOf(text)];
      if (isClosed) return fails("the device has stopped");
      if (underWay >= MAX_CALLS) return fails(`${MAX_CALLS} calls are under way already`);
      underWay++;
      try {
        return await call(args);
      } catch (error) {
        if (error instanceof ConnectionError) return fails(error.message);
        throw error;
      } finally {
        underWay--;
      }
    },
    close() {
      isClosed = true;
      connections.close();
    },
  };
}
