// The demo site: six devices whose scripts run against a simulated plant, with a history.
import { join } from "node:path";
import type { Logger } from "pino";
import type { Device } from "#core/device/device.ts";
import { parseReachRule, type ReachRule } from "#core/net/reach-rule.ts";
import { type DemoDevice, demoDevices } from "#demo/demo-devices.ts";
import { type DemoInterlocksNeeds, giveDemoInterlocks } from "#demo/demo-interlocks.ts";
import { type DemoHistory, type DemoRecord, readDemoRecord, writeDemoRecord } from "#demo/demo-record.ts";
import { type DemoRulesNeeds, giveDemoRules } from "#demo/demo-rules.ts";
import { giveDemoTariff } from "#demo/demo-tariff.ts";
import { PLANT_HOST } from "#demo/devices/listen-locally.ts";
import { foldPast, HISTORY_STEP_MS, originOf } from "#demo/devices/plant-history.ts";
import { type RunningPlant, startPlant } from "#demo/devices/start-plant.ts";
import { fillHistory } from "#demo/fill-history.ts";
import type { Plant } from "#demo/plant/plant.ts";
import { DAY_MS, type PlantSite } from "#demo/plant/site.ts";
import { connectDemoDevice, findDemoSite, type ProvisionDemoNeeds, provisionDemoDevice } from "#demo/provision-demo.ts";
import type { SimulatedPorts } from "#drivers/simulated-ports.ts";
import type { Background } from "#service/background.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { Troubles } from "#service/troubles.ts";

export type DemoNeeds = ProvisionDemoNeeds &
  DemoInterlocksNeeds &
  Pick<Needs, "telemetry" | "tariffs"> & {
    readonly background: Background;
    readonly log: Logger;
    readonly troubles: Pick<Troubles, "report">;
  };

export interface DemoPlace {
  /** The data folder. */
  readonly data: string;
  readonly simulated: SimulatedPorts;
  /** Of the site, if it is new. */
  readonly timezone: string;
  /** Length of the history of a new plant. */
  readonly historyMs: number;
}

export interface Demo {
  /** What its devices may reach in addition to the setting lua.allow: each its own server of the plant. */
  readonly allow: readonly ReachRule[];
  /** The background work and its progress. */
  underWay(): readonly { readonly name: string; readonly percent: number }[];
  /** Gives a new demo its rules, and begins to fill the history; everything else runs already. Rules that somebody deletes stay away. */
  begin(needs: DemoRulesNeeds): Promise<void>;
  stop(): Promise<void>;
}

/** The plant runs for this long before its history begins. */
const RUN_IN_MS = DAY_MS;
const SAVE_EVERY_MS = 60_000;
/** Sunny enough to show something in winter. */
const LATITUDE = 40;
const SEED = 2;

export async function startDemo(needs: DemoNeeds, call: Call, place: DemoPlace): Promise<Demo> {
  const { data, simulated, timezone, historyMs } = place;
  const file = join(data, "demo.json");
  const former = await readDemoRecord(file, needs.now()).catch((error: unknown) => {
    needs.log.warn({ err: error, file }, "the demo's own file cannot be used; its plant and history begin anew");
    return undefined;
  });
  const site = await findDemoSite(needs, call, { known: former?.siteId, timezone });
  // Only once: a tariff that somebody removes stays away.
  if (former === undefined) await giveDemoTariff(needs, call, site.id);
  const { record, past } =
    former === undefined ? await beginning(site.id, needs.now(), historyMs) : { record: former, past: [] };
  const running = await startPlant({
    site: record.plantSite,
    memory: record.plant,
    now: needs.now,
    simulated,
    preferred: record.ports,
  });
  const demo = new DemoSite(
    needs,
    { file, past, running, firstCall: former === undefined ? call : undefined },
    { ...record, ports: running.ports },
  );
  try {
    await demo.provision(call, site.id);
    // Only once, as the tariff.
    if (former === undefined) await giveDemoInterlocks(needs, call, site.id);
  } catch (error) {
    await demo.stop();
    throw error;
  }
  return demo;
}

/** A new plant that has run for so long. */
async function beginning(
  siteId: string,
  now: number,
  historyMs: number,
): Promise<{ readonly record: DemoRecord; readonly past: readonly Plant[] }> {
  const to = now - (now % HISTORY_STEP_MS);
  const origin = originOf(to, historyMs + RUN_IN_MS);
  // The sun is highest at noon by this machine's clock.
  const plantSite: PlantSite = { seed: SEED, latitude: LATITUDE, longitude: -new Date(now).getTimezoneOffset() / 4 };
  const past = await foldPast(plantSite, { from: origin, to });
  const plant = past.at(-1);
  if (plant === undefined) throw new Error("the fold of a plant has an end");
  const { weather: _, grid: _grid, loads: _loads, ...memory } = plant;
  const history: DemoHistory = { origin, from: to - historyMs, to, storedFrom: to };
  return { record: { siteId, plantSite, devices: {}, ports: {}, history, plant: memory }, past };
}

function reachRule(deviceId: string, port: number): ReachRule {
  const rule = parseReachRule(`${deviceId}=${PLANT_HOST}:${port}`);
  if ("problem" in rule) throw new Error(rule.problem);
  return rule;
}

interface DemoParts {
  readonly file: string;
  /** The plant at the start of each piece of its history; empty when that is not known yet. */
  readonly past: readonly Plant[];
  readonly running: RunningPlant;
  /** Of a new demo: as whom it makes its rules. */
  readonly firstCall: Call | undefined;
}

class DemoSite implements Demo {
  readonly #needs: DemoNeeds;
  readonly #file: string;
  #past: readonly Plant[];
  readonly #running: RunningPlant;
  readonly #devices: readonly DemoDevice[];
  readonly #firstCall: Call | undefined;
  readonly #stopping = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #record: DemoRecord;
  #saving: Promise<void> = Promise.resolve();
  #allow: readonly ReachRule[] = [];

  constructor(needs: DemoNeeds, { file, past, running, firstCall }: DemoParts, record: DemoRecord) {
    this.#needs = needs;
    this.#file = file;
    this.#past = past;
    this.#running = running;
    this.#firstCall = firstCall;
    this.#record = record;
    this.#devices = demoDevices(record.plantSite);
    this.#timer = setInterval(() => needs.background.run("store the demo's plant", () => this.#save()), SAVE_EVERY_MS);
  }

  get allow(): readonly ReachRule[] {
    return this.#allow;
  }

  async provision(call: Call, siteId: string): Promise<void> {
    const devices = { ...this.#record.devices };
    for (const demo of this.#devices) {
      try {
        const known = this.#record.devices[demo.example];
        const device = await provisionDemoDevice(this.#needs, call, { demo, siteId, known });
        if (device?.blueprintId === undefined) continue;
        devices[demo.example] = { id: device.id, blueprintId: device.blueprintId };
        await this.#connect(call, demo, device);
      } catch (error) {
        const message = "a device of the demo could not be made or connected";
        this.#needs.troubles.report({ part: "demo", message }, { err: error, place: demo.example });
      }
    }
    this.#record = { ...this.#record, siteId, devices };
    await this.#saveOrReport();
  }

  async #connect(call: Call, demo: DemoDevice, device: Device): Promise<void> {
    if (demo.server === undefined) return;
    const port = this.#running.ports[demo.server];
    this.#allow = [...this.#allow, reachRule(device.id, port)];
    await connectDemoDevice(this.#needs, call, { device, connection: demo.connection(port) });
  }

  /** The demo goes on without its file; the next start continues from the file's last state. */
  async #saveOrReport(): Promise<void> {
    try {
      await this.#save();
    } catch (error) {
      this.#needs.troubles.report({ part: "demo", message: "the demo's own file cannot be written" }, { err: error });
    }
  }

  underWay() {
    const percent = this.#percent();
    return percent === 100 ? [] : [{ name: "demo history", percent }];
  }

  #days(): number {
    const { from, to } = this.#record.history;
    return (to - from) / DAY_MS;
  }

  #percent(): number {
    const { from, to, storedFrom } = this.#record.history;
    return Math.floor(((to - storedFrom) / (to - from)) * 100);
  }

  async begin(needs: DemoRulesNeeds): Promise<void> {
    if (this.#percent() < 100) this.#needs.background.run("fill the demo's history", () => this.#fill());
    if (this.#firstCall === undefined) return;
    try {
      await giveDemoRules(needs, this.#firstCall, this.#record.siteId);
    } catch (error) {
      this.#needs.troubles.report({ part: "demo", message: "a rule of the demo could not be made" }, { err: error });
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#running.stop();
    await this.#saveOrReport();
  }

  async #fill(): Promise<void> {
    const { telemetry, devices, log } = this.#needs;
    const attributes = new Map(
      this.#devices.flatMap((demo) => {
        const id = this.#record.devices[demo.example]?.id;
        return id === undefined ? [] : [[id, demo.attributes] as const];
      }),
    );
    let points = 0;
    let reported = this.#percent();
    log.info({ days: this.#days() }, "filling the demo's history, newest first");
    const onStored = async (history: DemoHistory, count: number) => {
      points += count;
      this.#record = { ...this.#record, history };
      await this.#saveOrReport();
      const percent = this.#percent();
      if (percent >= reported + 20 || percent === 100) {
        reported = percent;
        log.info(
          { percent, points },
          percent === 100 ? "the demo's history is complete" : "filling the demo's history",
        );
      }
    };
    const { plantSite: site, history } = this.#record;
    const past = this.#past.length > 0 ? this.#past : await foldPast(site, { from: history.origin, to: history.to });
    this.#past = [];
    await fillHistory({ telemetry, devices, site, attributes, past, onStored }, history, this.#stopping.signal);
  }

  /** One write after the other; each stores the state at its turn. */
  #save(): Promise<void> {
    const save = () => writeDemoRecord(this.#file, { ...this.#record, plant: this.#running.plant.memory() });
    this.#saving = this.#saving.then(save, save);
    return this.#saving;
  }
}
