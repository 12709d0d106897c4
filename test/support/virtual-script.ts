// A script in this process under virtual time: the clock moves only when the script sleeps or waits for its next job.

import { textOf } from "#drivers/lua-value.ts";
import { noDrivers } from "#drivers/no-drivers.ts";
import { createDeviceScript } from "#runtime/lua/device-script.ts";
import { createLuaEngine, type LuaEngine, type ScriptLimits } from "#runtime/lua/lua-engine.ts";
import type { ScriptHost } from "#runtime/lua/script-host.ts";

let shared: LuaEngine | undefined;

export function virtualScript(
  files: string | Readonly<Record<string, string | Uint8Array>>,
  options: {
    readonly limits?: Partial<ScriptLimits>;
    readonly nodebug?: boolean;
    readonly host?: Partial<ScriptHost>;
  } = {},
) {
  shared ??= createLuaEngine({ isVirtualTime: true });
  const engine = { ...shared, limits: { ...shared.limits, ...options.limits } };
  const modules = new Map(Object.entries(typeof files === "string" ? { "main.lua": files } : files));
  const output: string[] = [];
  const stored = new Map<string, string>();
  const buckets = new Map<string, Map<string, string | number | boolean>>();
  let clock = 0;
  const host: ScriptHost = {
    now: () => 1_700_000_000_000 + clock,
    elapsed: () => clock,
    drivers: noDrivers,
    telemetry: (values) => write("telemetry", show(values)),
    properties: (values) => write("properties", show(values)),
    log: (text, severity, persist) => void write(persist ? `${severity}!` : severity, text),
    respond: (id, state, payload) => void write(`${id} ${state}`, JSON.stringify(payload)),
    fault: (error) => void write("fault", error.message),
    isConnected: () => true,
    wake() {},
    configuration: {
      read: (bucket) => buckets.get(bucket),
      isAllRequiredSet: (bucket) => buckets.has(bucket),
    },
    storage: {
      read: (key) => stored.get(key),
      write: async (key, text) => void stored.set(key, text),
      remove: async (key) => void stored.delete(key),
    },
    randomSeed: 7,
    ...options.host,
  };
  const script = createDeviceScript(engine, { entry: "main.lua", modules, nodebug: options.nodebug ?? false }, host);

  function write(what: string, text: string): undefined {
    output.push(`${clock} ${what}: ${text}`);
  }

  /** Runs until the clock has reached so many milliseconds, or the script is dead. */
  async function runTo(until: number): Promise<readonly string[]> {
    for (;;) {
      const outcome = script.run(5);
      if (outcome === "dead") return output;
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      const due = script.nextDue();
      if (outcome === "more" || (due !== undefined && due <= clock)) continue;
      if (due === undefined || due > until) {
        clock = until;
        return output;
      }
      clock = due;
    }
  }

  return { script, output, stored, buckets, runTo };
}

function show(values: ReadonlyMap<string, unknown>): string {
  return JSON.stringify(Object.fromEntries([...values].map(([key, value]) => [textOf(key), value])));
}

/** What the entry chunk has logged, one entry a line. */
export async function logsOf(
  files: Parameters<typeof virtualScript>[0],
  options?: Parameters<typeof virtualScript>[1],
): Promise<readonly string[]> {
  const { output, runTo } = virtualScript(files, options);
  await runTo(0);
  return output.map((line) => line.replace(/^0 (info: )?/, ""));
}
