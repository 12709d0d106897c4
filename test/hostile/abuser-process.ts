// Runs one abuse at a time, in a process that makes way for everybody else: an abuser has a machine of its own.
import { setPriority } from "node:os";
import { createWorld, type HostileSite, type Stop, type World } from "./abuse.ts";
import { closeSockets } from "./abuses/mqtt-device.ts";
import { ABUSES } from "./abuses.ts";

export type ToAbuser = { readonly start: string; readonly site: HostileSite } | "act" | "stop";
export type FromAbuser =
  | { readonly state: "loaded" | "started" | "acted" }
  | {
      readonly state: "stopped";
      readonly counts: Readonly<Record<string, number>>;
      /** Nothing of the abuse is left: the process may run another one. */
      readonly isClean: boolean;
    }
  | { readonly state: "failed"; readonly reason: string };

const LOWEST_PRIORITY = 19;
/** So long an abuse that has been stopped may take to end. */
const CLEAN_MS = 250;
const LOOK_EVERY_MS = 5;
const send = (message: FromAbuser) => process.send?.(message);
let stop: Stop = () => {};
let world: World | undefined;

async function handle(message: ToAbuser): Promise<void> {
  if (message === "act") {
    await hasCounted();
    send({ state: "acted" });
    return;
  }
  if (message === "stop") {
    const counts = Object.fromEntries(world?.counts ?? []);
    await stop();
    world?.close();
    closeSockets();
    send({ state: "stopped", counts, isClean: await isIdle() });
    return;
  }
  world = createWorld(message.site);
  stop = (await ABUSES.find(({ name }) => name === message.start)?.start(world)) ?? stop;
  send({ state: "started" });
}

/** A busy machine may keep this process, which makes way for all others, from doing anything for a while. */
async function hasCounted(): Promise<void> {
  while (world?.counts.size === 0) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** Whether all connections and timers of the abuse have gone. */
async function isIdle(): Promise<boolean> {
  const until = performance.now() + CLEAN_MS;
  while (performance.now() < until) {
    if (activeNow() === AT_REST) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

function activeNow(): string {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== "Immediate")
    .sort()
    .join();
}

setPriority(LOWEST_PRIORITY);
process.on("message", (message: ToAbuser) => {
  handle(message).catch((error: Error) => send({ state: "failed", reason: error.stack ?? error.message }));
});
process.on("disconnect", () => process.exit(0));
// A connection that the server cuts, or an answer that nobody waits for, is no fault of the suite.
process.on("uncaughtException", (error: Error & { code?: string }) => world?.count(error.code ?? error.message));
const AT_REST = activeNow();
send({ state: "loaded" });
