// A device with every kind of telemetry, and short words for sending to it and asking about it.
import { beforeAll } from "vitest";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "./fake-device.ts";
import type { Answer, Session, TestServer } from "./server.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: Everything
runtime:
  type: embedded
telemetry:
  power: { type: float, display_name: Power, unit: kW, aliases: [p, watts] }
  energy: { type: integer, display_name: Energy }
  running: { type: boolean, display_name: Running }
  status: { type: string, display_name: Status, enum: [idle, busy] }
  note: { type: string, display_name: Note }
  tags: { type: array_of_strings, display_name: Tags }
  faults: { type: alerts, display_name: Faults }
  internal: { type: float, display_name: Internal, access_level: owner }
`;

export interface TelemetryKit {
  readonly siteId: string;
  readonly blueprintId: string;
  /** A new device of the site, without a connection. */
  create(name: string): Promise<string>;
  /** A new device that is connected until the tests end. */
  connect(name: string): Promise<Connected>;
}

export interface Connected {
  readonly id: string;
  readonly device: FakeDevice;
  /** `0 power=1.5 note=x; 60 power=2`: messages with their time in seconds. Resolves when all are acknowledged. */
  send(messages: string): Promise<void>;
}

/** Must be called beside `useServer(["--mqtt-port", "0"])`. */
export function useTelemetry(busbar: TestServer): TelemetryKit {
  let kit: TelemetryKit | undefined;
  const made = () => {
    if (kit === undefined) throw new Error("it is made before the first test");
    return kit;
  };
  beforeAll(async () => {
    const { body } = await busbar.admin.get<{ site: { id: string } }>("/v3/site");
    kit = await makeTelemetry(busbar, body.site.id);
  });
  return {
    get siteId() {
      return made().siteId;
    },
    get blueprintId() {
      return made().blueprintId;
    },
    create: (name) => made().create(name),
    connect: (name) => made().connect(name),
  };
}

export async function makeTelemetry(busbar: TestServer, siteId: string): Promise<TelemetryKit> {
  const bytes = MANIFEST;
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const blueprintId = made.body.blueprint.id;
  const create = async (name: string): Promise<string> => {
    const wanted = { name, slug: name, site_id: siteId, blueprint_id: blueprintId };
    return (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted)).body.device_id;
  };
  return {
    siteId,
    blueprintId,
    create,
    async connect(name) {
      const id = await create(name);
      const path = `/v3/devices/${id}/generate_config`;
      const { body } = await busbar.admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" });
      const device = await connectFakeDevice(body.config);
      const send = async (messages: string) => {
        await Promise.all(messages.split(";").map((message) => device.sendTelemetry(readMessage(message))));
      };
      return { id, device, send };
    },
  };
}

function readMessage(text: string): object {
  const [time, ...values] = text.trim().split(/\s+/);
  const pairs = values.map((pair): [string, unknown] => {
    const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(pair) ?? [];
    return [name, readValue(value)];
  });
  return { timestamp: Number(time), ...Object.fromEntries(pairs) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface Question {
  readonly from?: unknown;
  readonly to?: unknown;
  readonly telemetry?: unknown;
  readonly [field: string]: unknown;
}

/** Requests a minute grid of the first hour of 1970 by default. */
export function ask(session: Session, question: Question, path = "/telemetry/v1/timeseries"): Promise<Answer<unknown>> {
  return session.post(path, { from: 0, to: 3600, granularity: "1m", aggregation: "auto", ...question });
}

/** The rows of a CSV answer without the header, for example `0,1.5 60,2`. */
export function rowsOf({ status, text }: Answer<unknown>): string {
  if (status !== 200) throw new Error(`status ${status}: ${text}`);
  return text.split("\n").slice(1, -1).join(" ");
}

export function headerOf({ text }: Answer<unknown>): string {
  return text.split("\n")[0] ?? "";
}
