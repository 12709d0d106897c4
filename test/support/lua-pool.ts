// The real pool with real threads; what scripts say is collected, and a test waits for a line of it.

import { bytesOf, plainOf } from "#drivers/lua-value.ts";
import { createLuaPool, type LuaPoolSettings } from "#runtime/lua/lua-pool.ts";
import type { ScriptContext } from "#runtime/lua/pool-messages.ts";

export function collectingPool(settings: LuaPoolSettings = {}) {
  const output: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const stored = new Map<string, Map<string, string>>();
  const write = (deviceId: string, text: string): void => {
    const line = `${deviceId} ${text}`;
    output.push(line);
    for (const check of waiting) check(line);
  };
  const pool = createLuaPool(
    {
      now: Date.now,
      telemetry: (deviceId, values) => write(deviceId, `telemetry ${JSON.stringify(plainOf(values))}`),
      properties: (deviceId, values) => write(deviceId, `properties ${JSON.stringify(plainOf(values))}`),
      log: (deviceId, { severity, text }) => write(deviceId, `${severity}: ${text}`),
      respond: (deviceId, { commandId, state, payload }) =>
        write(deviceId, `${commandId} ${state} ${JSON.stringify(payload)}`),
      async store(deviceId, key, text) {
        const texts = stored.get(deviceId) ?? new Map<string, string>();
        stored.set(deviceId, texts);
        if (text === undefined) texts.delete(key);
        else texts.set(key, text);
        return undefined;
      },
      registerChild: async () => undefined,
      statusChanged: (deviceId, { state, lastError }) =>
        write(deviceId, `is ${state} ${lastError?.message ?? ""}`.trim()),
    },
    settings,
  );

  function start(deviceId: string, source: string | Uint8Array, context: Partial<ScriptContext> = {}): Promise<void> {
    const program = { entry: "main.lua", modules: new Map([["main.lua", source]]), nodebug: false };
    return pool.start(deviceId, program, async () => ({
      deviceId,
      slug: deviceId,
      siteId: "site",
      configuration: new Map(),
      storage: new Map(stored.get(deviceId)),
      isConnected: true,
      randomSeed: 1,
      ...context,
    }));
  }

  /** The first line since the given number of lines that matches, now or later. */
  function until(pattern: RegExp, from = 0): Promise<string> {
    const known = output.slice(from).find((line) => pattern.test(line));
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const check = (line: string): void => {
        if (!pattern.test(line)) return;
        waiting.delete(check);
        resolve(line);
      };
      waiting.add(check);
    });
  }

  const bucket = (values: Readonly<Record<string, string>>) => ({
    values: new Map(Object.entries(values).map(([key, value]) => [key, bytesOf(value)])),
    isAllRequiredSet: true,
  });

  return { pool, output, start, until, stored, bucket };
}
