// A script in this process by the real clock, against real sockets and simulated ports.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { ReachRule } from "#core/net/reach-rule.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { createDrivers } from "#drivers/create-drivers.ts";
import { type LuaValue, luaValueOf, plainOf, textOf } from "#drivers/lua-value.ts";
import { openDrivers } from "#drivers/open-drivers.ts";
import { createPortHub } from "#drivers/port-hub.ts";
import type { SimulatedPorts } from "#drivers/simulated-ports.ts";
import { createDeviceScript } from "#runtime/lua/device-script.ts";
import { createLuaEngine, type LuaEngine } from "#runtime/lua/lua-engine.ts";
import type { ScriptHost } from "#runtime/lua/script-host.ts";

export interface LiveScript {
  /** Everything of the latest telemetry, by attribute. */
  readonly telemetry: Map<string, unknown>;
  readonly properties: Map<string, unknown>;
  readonly logs: string[];
  close(): void;
}

interface LiveNeeds {
  readonly program: ScriptProgram;
  readonly simulated: SimulatedPorts;
  readonly rules: readonly ReachRule[];
  readonly configuration: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What the script takes for the wall clock. */
  readonly now: () => number;
}

let shared: LuaEngine | undefined;

/** The files of an example as a program; `main.lua` is its entry. */
export function exampleProgram(name: string): ScriptProgram {
  const folder = fileURLToPath(new URL(`../../examples/blueprints/${name}/`, import.meta.url));
  const files = readdirSync(folder).includes("lua") ? `${folder}lua/` : folder;
  const names = readdirSync(files).filter((file) => file.endsWith(".lua"));
  const modules = new Map(names.map((file) => [file, readFileSync(`${files}${file}`)]));
  return { entry: "main.lua", modules, nodebug: false };
}

export function liveScript({ program, simulated, rules, configuration, now }: LiveNeeds): LiveScript {
  shared ??= createLuaEngine();
  const hub = createPortHub({ machine: [], simulated });
  const ports = hub.session({ id: "device", slug: "device" });
  const drivers = createDrivers(
    openDrivers({ rules: () => rules, ports, inboxes: createByteBudget("inboxes", 1e9), now }),
  );
  const telemetry = new Map<string, unknown>();
  const properties = new Map<string, unknown>();
  const logs: string[] = [];
  const keep = (kept: Map<string, unknown>) => (values: ReadonlyMap<string, LuaValue>) => {
    kept.clear();
    for (const [name, value] of values) kept.set(textOf(name), plainOf(value));
    return undefined;
  };
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const host: ScriptHost = {
    now,
    elapsed: () => performance.now(),
    drivers,
    telemetry: keep(telemetry),
    properties: keep(properties),
    log: (text, severity) => void logs.push(`${severity}: ${textOf(text)}`),
    respond() {},
    fault: ({ message }) => void logs.push(`fault: ${message}`),
    isConnected: () => true,
    wake: () => soon(0),
    configuration: {
      read: (bucket) => new Map(Object.entries(configuration[bucket] ?? {}).map(([k, v]) => [k, luaValueOf(v)])),
      isAllRequiredSet: () => true,
    },
    storage: { read: () => undefined, write: async () => undefined, remove: async () => undefined },
    randomSeed: 1,
  };
  const script = createDeviceScript(shared, program, host);
  function soon(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(turn, ms);
  }
  function turn(): void {
    const outcome = script.run(5);
    const due = outcome === "more" ? 0 : script.nextDue();
    if (due !== undefined) soon(Math.max(0, due - performance.now()));
  }
  soon(0);
  return {
    telemetry,
    properties,
    logs,
    close() {
      isClosed = true;
      clearTimeout(timer);
      script.close();
      hub.close();
    },
  };
}
