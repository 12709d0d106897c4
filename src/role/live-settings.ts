// Settings that can be changed while the service runs: what is stored wins over the configuration. Whoever uses one of
// them asks for it each time.
import type { Config } from "#config";
import { type Setting, settingList } from "#config/settings.ts";
import type { LiveSettings } from "#service/ports/live-settings.ts";
import type { SettingStore } from "#service/ports/setting-store.ts";

const NAMES: ReadonlySet<string> = new Set([
  "telemetry.retention",
  "alerts.retention",
  "audit.retention",
  "logs.retention",
  "logs.temporary_retention",
  "lua.allow",
]);
const SETTINGS = settingList.filter(({ name }) => NAMES.has(name));

export interface RunningSettings extends LiveSettings {
  /** The configuration with what was changed. */
  readonly config: () => Config;
  /** Calls the listener after each change. */
  onChange(listener: () => void): void;
}

export function createLiveSettings(store: Pick<SettingStore, "all">, configured: Config): RunningSettings {
  const listeners: (() => void)[] = [];
  let config = configured;
  let changed: ReadonlyMap<string, string> = new Map();

  const parse = ({ kind }: Setting, value: string) => kind.parse(value, process.cwd());
  const shownOf = (name: string) => {
    const shown = configured.shown?.get(name) ?? "";
    return Array.isArray(shown) ? shown.join(",") : String(shown);
  };

  return {
    config: () => config,
    onChange: (listener) => void listeners.push(listener),
    list: () =>
      SETTINGS.map(({ name, about }) => {
        const [value, isChanged] = [changed.get(name) ?? shownOf(name), changed.has(name)];
        return { name, about, value, configured: shownOf(name), isChanged };
      }),
    problemOf(name, value) {
      const setting = SETTINGS.find((one) => one.name === name);
      const parsed = setting && parse(setting, value);
      return parsed !== undefined && "problem" in parsed ? parsed.problem : undefined;
    },
    async refresh() {
      const stored = await store.all();
      let next = configured;
      const used = new Map<string, string>();
      for (const setting of SETTINGS) {
        const value = stored.get(setting.name);
        const parsed = value === undefined ? undefined : parse(setting, value);
        // One that this version cannot read does not hold.
        if (value === undefined || parsed === undefined || "problem" in parsed) continue;
        used.set(setting.name, value);
        next = withValue(next, setting.name, parsed.value);
      }
      config = next;
      changed = used;
      for (const listener of listeners) listener();
    },
  };
}

/** `logs.temporary_retention` is config.logs.temporaryRetention. */
function withValue(config: Config, name: string, value: unknown): Config {
  const [group = "", key = ""] = name.split(".");
  const camel = key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const settings = config[group as keyof Config] as object;
  return { ...config, [group]: { ...settings, [camel]: value } };
}
