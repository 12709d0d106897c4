// A gateway that has joined a cloud reports its own state as telemetry of the devices of type GATEWAY that stand for it.
// Both sides then have it as current values, time series and events, and the cloud's overview of gateways is made from it.
import {
  GATEWAY_BLUEPRINT_NAME,
  GATEWAY_MANIFEST,
  type GatewayFigures,
  renderFigures,
} from "#core/link/gateway-figures.ts";
import { allPages } from "#service/all-pages.ts";
import { type AssignNeeds, assignBlueprint } from "#service/blueprint/assign-blueprint.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { createWake } from "#service/link/create-wake.ts";
import type { UplinkStatus } from "#service/link/uplink.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import type { Call } from "#service/ports.ts";

export interface GatewayReportNeeds extends AssignNeeds, UploadNeeds {
  readonly inbox: Pick<DeviceInbox, "telemetry">;
  readonly uplink: { status(): Promise<UplinkStatus | undefined> };
  readonly measureLoad: () => Promise<Pick<GatewayFigures, "load" | "uptimeMs">>;
  readonly version: string;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { warn(about: object, text: string): void };
}

export interface GatewayReports {
  /** Something changed that should be reported now. */
  wake(): void;
  stop(): Promise<void>;
}

const REPORT_EVERY_MS = 15_000;

/** Reports now, and then at intervals. Without a cloud nothing is reported. */
export function reportGateway(needs: GatewayReportNeeds, call: Call): GatewayReports {
  const end = new AbortController();
  const awake = createWake();
  /** The blueprint of these devices, once it is stored. */
  let blueprintId: string | undefined;

  async function report(): Promise<void> {
    const status = await needs.uplink.status();
    if (status === undefined) return;
    const figures = { ...(await needs.measureLoad()), ...status, version: needs.version };
    const values = renderFigures(figures, needs.now());
    blueprintId ??= (await uploadBlueprint(needs, call, Buffer.from(GATEWAY_MANIFEST))).blueprint.id;
    for (const deviceId of await ownDevices(needs, call, blueprintId)) {
      await needs.inbox.telemetry(deviceId, { takenAt: undefined, values });
    }
  }

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      try {
        await report();
      } catch (error) {
        // A full disk, for example: the next report may be stored.
        if (!end.signal.aborted)
          needs.log.warn({ err: error }, "the report of this gateway about itself could not be stored");
      }
      await awake.next((over) => needs.pause(REPORT_EVERY_MS, over));
    }
  }

  const running = run();
  return {
    wake: awake.call,
    async stop() {
      end.abort();
      awake.call();
      await running;
    },
  };
}

/** The devices that stand for this gateway. Those without a blueprint, or with an earlier one of ours, get ours. */
async function ownDevices(needs: GatewayReportNeeds, call: Call, ours: string): Promise<readonly string[]> {
  const own: string[] = [];
  for await (const device of allPages((page) => needs.devices.list({ scope: "all", types: ["GATEWAY"] }, page))) {
    const given = device.blueprintId === undefined ? undefined : await needs.blueprints.find(device.blueprintId);
    const isOurs = given === undefined || given.displayName === GATEWAY_BLUEPRINT_NAME;
    // Somebody has chosen another one, which declares other telemetry.
    if (!isOurs) continue;
    if (given?.id !== ours) await assignBlueprint(needs, call, { device: device.id, blueprintId: ours });
    own.push(device.id);
  }
  return own;
}
