import type { ConnectDriver } from "#drivers/driver.ts";
import { serialCalls } from "./serial-calls.ts";

/** The hub of ports has the connections. */
export const connect: ConnectDriver = ({ ports }) => ({ calls: serialCalls(ports), close() {} });
