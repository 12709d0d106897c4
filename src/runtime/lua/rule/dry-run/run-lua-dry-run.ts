// Tries scripts of rules, each in a thread of its own that has an end: by time, by memory, and by the number of its runs.
import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import { NO_MODULES } from "#core/rule/rule-modules.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { ruleProgram } from "#runtime/lua/rule/rule-program.ts";
import type { LuaDryRun, LuaDryRunInput, LuaSimulation } from "#service/rule/lua-dry-run.ts";
import { createLuaPast, type LuaPast, type LuaPastNeeds } from "#service/rule/lua-past.ts";
import type { DryRunSetup, FromDryRun, PastAnswer, PastQuestion, ToDryRun } from "./dry-run-messages.ts";

interface DryRunLimits {
  readonly wallMs: number;
  readonly steps: number;
  /** At once. */
  readonly most: number;
}

const LIMITS: DryRunLimits = { wallMs: 20_000, steps: 300_000, most: 2 };
/** The thread itself stops after `wallMs`. One that does not is stuck in one call of Lua's library. */
const PATIENCE_MS = 10_000;
const HEAP_MB = 192;

export function createLuaDryRun(needs: LuaPastNeeds, limits: DryRunLimits = LIMITS): LuaDryRun {
  const running = new Set<Worker>();

  async function run(given: LuaDryRunInput, signal: AbortSignal): Promise<LuaSimulation> {
    const past = createLuaPast(needs, given);
    const setup = await setupOf(given, past, limits);
    signal.throwIfAborted();
    if (running.size >= limits.most) throw refuse("overloaded", "too many dry runs at once; try again in a moment");
    const worker = new Worker(new URL("./dry-run-worker.ts", import.meta.url), {
      name: "dry run of a rule",
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    running.add(worker);
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([resultOf(worker, past, limits.wallMs + PATIENCE_MS), left]);
    } catch (error) {
      signal.throwIfAborted();
      return nothing(given, `the dry run was ended: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      signal.removeEventListener("abort", leave);
      running.delete(worker);
      await worker.terminate();
    }
  }

  return {
    run,
    async close() {
      await Promise.all([...running].map((worker) => worker.terminate()));
    },
  };
}

async function setupOf(
  { rule, modules = NO_MODULES, ...given }: LuaDryRunInput,
  past: LuaPast,
  limits: DryRunLimits,
): Promise<DryRunSetup> {
  const interval = rule.script.execInterval === undefined ? undefined : parseDuration(rule.script.execInterval);
  return {
    limits: { wallMs: limits.wallMs, steps: limits.steps },
    past: {
      ruleId: rule.id,
      program: ruleProgram(`${rule.slug}.lua`, Buffer.from(rule.script.code, "base64"), modules),
      intervalMs: interval === undefined ? undefined : toMilliseconds(interval),
      location: await past.location(),
      ...given,
    },
  };
}

function resultOf(worker: Worker, past: LuaPast, patienceMs: number): Promise<LuaSimulation> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error("it takes too long")), patienceMs);
    worker.on("message", (message: FromDryRun) => {
      if (message.kind === "done") {
        clearTimeout(timer);
        done(message.result);
      } else void reply(worker, message.id, answerOf(past, message.question));
    });
    worker.on("error", (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => {
      clearTimeout(timer);
      fail(new Error("its thread has ended"));
    });
  });
}

async function reply(worker: Worker, id: number, answering: Promise<PastAnswer>): Promise<void> {
  const message: ToDryRun = await answering.then(
    (answer) => ({ id, answer }),
    (error: unknown) => ({ id, fault: String(error) }),
  );
  const failure = tryPost(worker, message);
  if (failure !== undefined) tryPost(worker, { id, fault: failure.message } satisfies ToDryRun);
}

function answerOf(past: LuaPast, question: PastQuestion): Promise<PastAnswer> {
  switch (question.kind) {
    case "column":
      return past.column(question.name);
    case "control":
      return past.controlProblem(question.device, question.control);
    case "ask":
      return past.ask(question.name, question.args, question.at);
  }
}

function nothing({ from }: LuaDryRunInput, problem: string): LuaSimulation {
  return { started: 0, bands: [], effects: [], traces: [], simulatedTo: from, problems: [problem] };
}
