import { loadConfig } from "#config";
import { createLogger } from "#log";
import { start } from "#role/start.ts";
import { ADMIN_TOKEN } from "./server.ts";

export interface BusbarOn {
  readonly url: string;
  /** The text of an answer. */
  get(path: string, token?: string): Promise<string>;
}

/** A Busbar in this process on a data folder that is there, for the length of `use`. */
export async function withBusbarOn<Result>(
  data: string,
  use: (busbar: BusbarOn) => Promise<Result>,
  env: Readonly<Record<string, string>> = { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN },
): Promise<Result> {
  const flags = ["--data", data, "--port", "0", "--mqtt-port", "off", "--no-http-page"];
  const { config } = await loadConfig({ flags, env, cwd: data, readFile: () => undefined });
  const log: string[] = [];
  const logger = createLogger({ ...config.log, format: "json" }, { write: (line: string) => log.push(line) });
  const running = await start(config, logger, (error) => {
    throw error;
  });
  try {
    const result = await use({
      url: running.url,
      get: async (path, token = ADMIN_TOKEN) =>
        await (await fetch(`${running.url}${path}`, { headers: { "X-Service-Auth-Token": token } })).text(),
    });
    const faults = log.filter((line) => /"level":"(error|fatal)"/.test(line));
    if (faults.length > 0) throw new Error(`faults in the log:\n${faults.join("")}`);
    return result;
  } finally {
    await running.stop();
  }
}
