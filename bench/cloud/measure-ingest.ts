// Durable points a second through MQTT, of engines that take turns. The devices of an engine with two nodes are shared out.
import { fileURLToPath } from "node:url";
import type { Busbar, Site } from "../telemetry/busbar.ts";
import { finish } from "../telemetry/process.ts";

const PUBLISHER = fileURLToPath(new URL("../telemetry/publish.ts", import.meta.url));
const SECONDS = 6;

/** By the names of the engines. */
export async function measureIngest<Name extends string>(
  site: Site,
  engines: Readonly<Record<Name, readonly Busbar[]>>,
  say: (text: string) => void,
): Promise<Readonly<Record<Name, number>>> {
  // The last device has the series of a year.
  const credentials = site.credentials.slice(0, -1);
  const publish = async ({ mqttPort: port }: Busbar, own: Site["credentials"]): Promise<number> => {
    const job = JSON.stringify({ port, credentials: own, seconds: SECONDS, late: 0, window: 32 });
    const answer = await finish(process.execPath, ["--disable-warning=ExperimentalWarning", PUBLISHER, job]);
    return (JSON.parse(answer) as { perSecond: number }).perSecond;
  };
  const names = Object.keys(engines) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  // The first round warms up.
  for (let turn = 0; turn < 2; turn++) {
    for (const name of names) {
      const nodes = engines[name];
      const share = Math.floor(credentials.length / nodes.length);
      const rates = await Promise.all(
        nodes.map((node, n) =>
          publish(node, credentials.slice(n * share, n === nodes.length - 1 ? undefined : (n + 1) * share)),
        ),
      );
      measured[name] = Math.round(rates.reduce((sum, rate) => sum + rate, 0));
    }
    if (turn === 0) say(`durable points a second, warming up: ${JSON.stringify(measured)}`);
  }
  say(`durable points a second: ${JSON.stringify(measured)}`);
  return measured;
}
