// One gateway after the other, each in a folder of its own: abuses share one until its role does not fit or it is given up.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Role } from "./abuse.ts";
import { type Gateway, startGateway } from "./gateway.ts";

export interface Gateways {
  /** The one that runs, or a new one. */
  get(role: Role | undefined): Promise<Gateway>;
  /** Ends the one that runs: the next abuse pays for itself alone. */
  giveUp(): Promise<void>;
  close(): Promise<void>;
}

export function createGateways(): Gateways {
  const folders: string[] = [];
  let running: { readonly role: Role; readonly gateway: Gateway } | undefined;

  async function giveUp(): Promise<void> {
    const ended = running;
    running = undefined;
    await ended?.gateway.close();
  }
  return {
    async get(role = "gateway") {
      if (running?.role === role) return running.gateway;
      await giveUp();
      const folder = mkdtempSync(join(tmpdir(), "busbar-hostile-"));
      folders.push(folder);
      running = { role, gateway: await startGateway(folder, role) };
      return running.gateway;
    },
    giveUp,
    async close() {
      await giveUp();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
