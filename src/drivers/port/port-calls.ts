import { type Call, text } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { readPortUri } from "#drivers/connection-uri.ts";
import type { PortSession, PortUse } from "./port-request.ts";

const USES: readonly PortUse[] = ["serial", "can", "relay", "digitalin", "digitalout", "analogin", "analogout"];

/** What all drivers of hardware ports begin with. A script's handle is the name of the port. */
export function portCalls(ports: PortSession): Readonly<Record<string, Call>> {
  return {
    "port.open": async ([use, uri]) => {
      const known = USES.find((name) => name === use);
      if (known === undefined) throw new ConnectionError("invalid", "there is no such use of a port");
      const { name, parameters } = readPortUri(text(uri, "connection URI"));
      await ports.call(name, { op: "open", use: known, parameters });
      return [name];
    },
  };
}
