// What a script sees of its host, in virtual time.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { bytesOf, type LuaValue, luaValueOf, textOf } from "#drivers/lua-value.ts";
import type { Scenario } from "#manifest/scenario/parse-scenarios.ts";
import type { Buckets } from "#manifest/scenario/steps.ts";
import type { ScriptHost } from "#runtime/lua/script-host.ts";
import { parseScriptValues } from "#runtime/lua/script-values.ts";
import type { ScenarioRecord } from "./scenario-record.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface VirtualHost {
  /** The text that the storage holds. */
  stored(key: string): string | undefined;
  forRun(drivers: Drivers): ScriptHost;
  store(key: string, text: string | null): void;
  /** The buckets that were written. */
  configure(buckets: Buckets | undefined): readonly string[];
  /** Sets the wall clock. */
  setClock(unixMs: number): void;
  /** Wall clock, Unix milliseconds. */
  now(): number;
  isConnected(): boolean;
  /** False when nothing changes by it. */
  connect(isConnected: boolean): boolean;
  /** Whether somebody has answered the script since the last question. */
  takeWake(): boolean;
}

interface Needs {
  readonly blueprint: Blueprint;
  readonly clock: VirtualClock;
  readonly happened: ScenarioRecord["happened"];
  readonly scenario: Scenario;
  readonly seed: number;
}

export function createVirtualHost({ blueprint, clock, happened, scenario, seed }: Needs): VirtualHost {
  /** Byte strings: a script may store anything. */
  const storage = new Map<string, string>();
  const configuration = new Map<string, Map<string, unknown>>();
  let isConnected = scenario.connected;
  /** The wall clock when the clock of the scenario is at 0. */
  let origin = scenario.start;
  const now = () => origin + clock.elapsed();
  let isWoken = false;

  const store = (key: string, text: string | null): void => {
    if (text === null) storage.delete(bytesOf(key));
    else storage.set(bytesOf(key), bytesOf(text));
  };
  const configure = (buckets: Buckets): readonly string[] => {
    for (const [bucket, given] of buckets) {
      const values = configuration.get(bucket) ?? new Map<string, unknown>();
      for (const [name, value] of given) {
        if (value === null) values.delete(name);
        else values.set(name, value);
      }
      configuration.set(bucket, values);
    }
    return [...buckets.keys()];
  };
  /** What is set, else the default of the manifest. */
  const settingOf = (bucket: string, name: string): unknown =>
    configuration.get(bucket)?.get(name) ?? blueprint.configuration.get(bucket)?.parameters.get(name)?.default;

  for (const [key, text] of scenario.storage) store(key, text);
  configure(scenario.configuration);

  return {
    stored(key) {
      const bytes = storage.get(bytesOf(key));
      return bytes === undefined ? undefined : textOf(bytes);
    },
    store,
    configure: (buckets) => (buckets === undefined ? [] : configure(buckets)),
    now,
    setClock(unixMs) {
      origin = unixMs - clock.elapsed();
    },
    isConnected: () => isConnected,
    connect(isBack) {
      const changes = isConnected !== isBack;
      isConnected = isBack;
      if (changes) happened({ kind: "note", text: isBack ? "the connection is back" : "the connection is lost" });
      return changes;
    },
    takeWake() {
      const was = isWoken;
      isWoken = false;
      return was;
    },
    forRun: (drivers) => ({
      now,
      elapsed: clock.elapsed,
      drivers,
      telemetry(values) {
        happened({ kind: "telemetry", values: parseScriptValues(values).values });
        return undefined;
      },
      properties(values) {
        happened({ kind: "properties", values: parseScriptValues(values).values });
        return undefined;
      },
      log: (text, severity) => happened({ kind: "log", text, severity }),
      respond: (id, state, payload) => happened({ kind: "response", id, state, payload }),
      fault: (error) => happened({ kind: "fault", error }),
      isConnected: () => isConnected,
      wake() {
        isWoken = true;
      },
      configuration: {
        read(bucket) {
          const declared = blueprint.configuration.get(bucket);
          if (declared === undefined) return undefined;
          const values = new Map<string, LuaValue>();
          for (const name of declared.parameters.keys()) {
            const value = settingOf(bucket, name);
            if (value !== undefined) values.set(bytesOf(name), luaValueOf(value));
          }
          return values;
        },
        isAllRequiredSet: (bucket) =>
          [...(blueprint.configuration.get(bucket)?.parameters.values() ?? [])].every(
            ({ id, required }) => !required || settingOf(bucket, id) !== undefined,
          ),
      },
      storage: {
        read: (key) => storage.get(key),
        async write(key, text) {
          storage.set(key, text);
          happened({ kind: "note", text: `storage ${textOf(key)} = ${JSON.stringify(textOf(text))}` });
          return undefined;
        },
        async remove(key) {
          storage.delete(key);
          return undefined;
        },
      },
      randomSeed: seed,
    }),
  };
}
