import type { ConnectDriver } from "#drivers/driver.ts";
import { canCalls } from "./can-calls.ts";

/** The hub of ports has the connections. */
export const connect: ConnectDriver = ({ ports }) => ({ calls: canCalls(ports), close() {} });
