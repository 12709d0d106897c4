import type { ConnectDriver } from "#drivers/driver.ts";
import { levelCalls } from "./level-calls.ts";

/** The hub of ports has the connections. */
export const connect: ConnectDriver = ({ ports }) => ({ calls: levelCalls(ports), close() {} });
