// Runs one abuse at a time, in a process that makes way for everybody else: an abuser has a machine of its own.
import { setPriority } from "node:os";
import { createWorld, type HostileSite, type Stop, type World } from "./abuse.ts";
import { ABUSES } from "./abuses.ts";

export type ToAbuser = { readonly start: string; readonly site: HostileSite } | "stop";
export type FromAbuser =
  | { readonly state: "loaded" | "started" }
  | { readonly state: "stopped"; readonly counts: Readonly<Record<string, number>> }
  | { readonly state: "failed"; readonly reason: string };

const LOWEST_PRIORITY = 19;
const tell = (message: FromAbuser) => process.send?.(message);
let stop: Stop = () => {};
let world: World | undefined;

async function handle(message: ToAbuser): Promise<void> {
  if (message === "stop") {
    const counts = Object.fromEntries(world?.counts ?? []);
    await stop();
    tell({ state: "stopped", counts });
    return;
  }
  world = createWorld(message.site);
  stop = (await ABUSES.find(({ name }) => name === message.start)?.start(world)) ?? stop;
  tell({ state: "started" });
}

setPriority(LOWEST_PRIORITY);
process.on("message", (message: ToAbuser) => {
  handle(message).catch((error: Error) => tell({ state: "failed", reason: error.stack ?? error.message }));
});
process.on("disconnect", () => process.exit(0));
// A connection that the server cuts, or an answer that nobody waits for, is no fault of the suite.
process.on("uncaughtException", (error: Error & { code?: string }) => world?.count(error.code ?? error.message));
tell({ state: "loaded" });
