import { Worker } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import type { DriverThread } from "#drivers/driver-thread.ts";
import type { LuaEngine } from "./lua-engine.ts";
import { PULSE_BEAT, PULSE_MEMORY, PULSE_SLOT, type ToPool, type ToWorker, type WorkerData } from "./pool-messages.ts";
import { giveBack, type ScriptMemory } from "./script-memory.ts";

export interface ThreadNeeds {
  readonly engine: LuaEngine;
  readonly memory: ScriptMemory;
  /** Ended with the thread; undefined: scripts have no drivers. */
  readonly drivers: DriverThread | undefined;
  /** Without a sign of life for so long, the thread is ended. */
  readonly watchdogMs: number;
  /** As long a thread may take to begin. */
  readonly readyMs: number;
  message(message: ToPool): void;
  /** It has ended, by itself or by the watchdog. `slot` is what it ran at that moment, 0 for nothing. */
  died(slot: number, why: string): void;
}

/** One worker with its watchdog. Ends with `died` once, or with `close`, never with both. */
export interface LuaThread {
  /** Returns why, when the message cannot be copied. */
  post(message: ToWorker): Error | undefined;
  close(): Promise<void>;
}

/** Looks in so many times per watchdog period, and counts looks: a late timer of our own then does not count as silence. */
const LOOKS = 4;
/** JavaScript of drivers and messages; what scripts hold lies outside. */
const HEAP_MB = 192;
const YOUNG_MB = 8;

export function createLuaThread(needs: ThreadNeeds): LuaThread {
  const pulse = new Int32Array(new SharedArrayBuffer(12));
  const data: WorkerData = { engine: needs.engine, memory: needs.memory, pulse, drivers: needs.drivers?.data };
  const worker = new Worker(new URL("./lua-worker.ts", import.meta.url), {
    name: "lua scripts",
    workerData: data,
    transferList: data.drivers === undefined ? [] : [data.drivers.channel],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const lookMs = needs.watchdogMs / LOOKS;
  const watch = setInterval(look, lookMs);
  let isOver = false;
  let isReady = false;
  let beat = 0;
  let silent = 0;

  worker.on("message", (messages: readonly ToPool[]) => {
    for (const message of messages) {
      if (isOver) return;
      if (message.kind === "ready") {
        isReady = true;
        silent = 0;
      } else needs.message(message);
    }
  });
  worker.on("error", (error: unknown) => over(`the thread failed: ${String(error)}`));
  worker.on("exit", (code) => {
    giveBack(needs.memory, pulse, PULSE_MEMORY);
    over(`the thread ended with ${code}`);
  });

  function look(): void {
    const now = Atomics.load(pulse, PULSE_BEAT);
    silent = now === beat ? silent + 1 : 0;
    beat = now;
    if (isReady && silent >= LOOKS) over(`no sign of life for ${needs.watchdogMs} ms`);
    else if (!isReady && silent * lookMs >= needs.readyMs) over(`the thread had not begun after ${needs.readyMs} ms`);
  }

  function over(why: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(watch);
    const slot = Atomics.load(pulse, PULSE_SLOT);
    needs.drivers?.stop();
    void worker.terminate();
    needs.died(slot, why);
  }

  return {
    post(message) {
      return isOver ? undefined : tryPost(worker, message);
    },
    async close() {
      isOver = true;
      clearInterval(watch);
      await worker.terminate();
      needs.drivers?.stop();
    },
  };
}
