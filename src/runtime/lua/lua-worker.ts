// A thread of the pool: it runs the scripts that it is given and sends their output to the pool.
import { parentPort, workerData } from "node:worker_threads";
import { tryPostAll } from "#core/thread/try-post.ts";
import { noDrivers } from "#drivers/no-drivers.ts";
import { openDriverThread } from "#drivers/open-driver-thread.ts";
import { realTimers } from "#drivers/timers.ts";
import { watchPeers } from "#drivers/watch-peers.ts";
import { collectGarbage } from "#tuning/collect-garbage.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { countUntilCollected } from "./ended-memory.ts";
import { createHostedScript, type HostedScript } from "./hosted-script.ts";
import { PULSE_BEAT, PULSE_MEMORY, PULSE_SLOT, type ToPool, type ToWorker, type WorkerData } from "./pool-messages.ts";
import { createRuleAsks, type RuleAsks } from "./rule/rule-asks.ts";
import { createRuleDrivers } from "./rule/rule-drivers.ts";
import { createSiteRequests } from "./rule/site-requests.ts";
import { createScriptRunner } from "./run-scripts.ts";
import { openMemoryAccount } from "./script-memory.ts";

const BEAT_MS = 200;
const MEMORY_REPORT_MS = 5_000;
/** How often scripts are looked at for activities that last too long. */
const MAX_LOOK_MS = 1_000;
const LOOKS_PER_OVERRUN = 4;
/** Of the rules of a site on this thread. One answer may have a mebibyte. */
const REQUESTS = { atOnce: 8, patienceMs: 10_000 };

const { engine: shared, memory, pulse, drivers: threadDrivers } = parseWorkerData(workerData);
const account = countUntilCollected(openMemoryAccount(memory, pulse, PULSE_MEMORY), collectGarbage);
const engine = { ...shared, account };
const drivers = threadDrivers === undefined ? undefined : openDriverThread(threadDrivers);
const requests = createSiteRequests({ ...REQUESTS, after: realTimers.after });
const hosted = new Map<number, HostedScript>();
const asks = new Map<number, RuleAsks>();
let outbox: ToPool[] = [];

const runner = createScriptRunner({
  running(slot) {
    Atomics.store(pulse, PULSE_SLOT, slot);
  },
  died(slot) {
    const byLimit = hosted.get(slot)?.endedByLimit() ?? false;
    end(slot);
    say({ kind: "dead", slot, byLimit });
  },
  turned() {
    Atomics.add(pulse, PULSE_BEAT, 1);
  },
});

/** What is said in one go, such as in a turn of the scripts, is sent together when it ends. */
function say(message: ToPool): void {
  if (outbox.push(message) === 1) queueMicrotask(flush);
}

function flush(): void {
  const messages = outbox;
  outbox = [];
  if (parentPort !== null) tryPostAll(parentPort, messages, reportFailure);
}

/** A message that cannot be sent is the fault of the script that caused it. */
function reportFailure(message: ToPool, { message: text }: Error): void {
  if ("slot" in message) say({ kind: "fault", slot: message.slot, error: { message: text }, at: Date.now() });
}

function end(slot: number): void {
  runner.remove(slot);
  hosted.get(slot)?.script.close();
  hosted.delete(slot);
  asks.delete(slot);
}

function start(message: Extract<ToWorker, { kind: "start" }>): void {
  const { slot, context } = message;
  const watch = watchPeers((problem) => say({ kind: "peers", slot, problem, at: Date.now() }));
  const wake = (): void => runner.wake(slot);
  const activity = () => hosted.get(slot)?.script.activity();
  const ofRule = context.rule && createRuleAsks({ slot, post: say, activity });
  if (ofRule !== undefined) asks.set(slot, ofRule);
  const { deviceId: id, slug, siteId } = context;
  const openHttp = () => drivers?.ofRule(id) ?? noDrivers;
  const own = ofRule
    ? createRuleDrivers({ siteId, asks: ofRule, requests, openHttp })
    : (drivers?.ofDevice({ id, slug }, watch) ?? noDrivers);
  const hasAsked = ofRule?.hasAsked;
  const script = createHostedScript({ engine, slot, post: say, wake, drivers: own, watch, hasAsked }, message);
  hosted.set(slot, script);
  runner.add(slot, siteId, script.script);
  say({ kind: "started", slot });
}

function take(message: ToWorker): void {
  if (message.kind === "start") start(message);
  else if (message.kind === "stop") end(message.slot);
  else {
    const script = hosted.get(message.slot);
    if (script) pass(script, message);
  }
}

function pass(script: HostedScript, message: Exclude<ToWorker, { kind: "start" | "stop" }>): void {
  if (message.kind === "command") script.command(message.command, message.ticket);
  else if (message.kind === "configuration") script.configurationWritten(message.change);
  else if (message.kind === "connection") script.connectionChanged(message.isConnected);
  else if (message.kind === "trigger") script.script.triggered(message.args);
  else if (message.kind === "answer") asks.get(message.slot)?.answered(message.id, message.values);
  else script.stored(message.id, message.error);
  runner.wake(message.slot);
}

parentPort?.on("message", take);
setInterval(() => Atomics.add(pulse, PULSE_BEAT, 1), BEAT_MS);
setInterval(() => {
  if (hosted.size === 0) return;
  say({ kind: "memory", bytes: new Map([...hosted].map(([slot, { script }]) => [slot, script.memoryBytes()])) });
}, MEMORY_REPORT_MS);
setInterval(
  () => {
    for (const script of hosted.values()) script.reportOverrun();
  },
  Math.min(MAX_LOOK_MS, engine.limits.overrunMs / LOOKS_PER_OVERRUN),
);
say({ kind: "ready" });
keepCompiled();

function parseWorkerData(data: unknown): WorkerData {
  return data as WorkerData;
}
