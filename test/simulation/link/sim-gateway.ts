// One run of a gateway: the real dispatcher, uplink and telemetry lane over its disk, its devices and the line.
import { type CommandDispatcher, createCommandDispatcher } from "#service/command/command-dispatcher.ts";
import { createExecution, type ExecutionInput } from "#service/command/create-execution.ts";
import { type JoinNeeds, joinCloud } from "#service/link/join-cloud.ts";
import { createTelemetryLane } from "#service/link/telemetry-lane.ts";
import { createUplink, type Uplink, type UplinkNeeds } from "#service/link/uplink.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { AskCloud, OpenLinkSocket } from "#service/ports/link-socket.ts";
import { oneNode } from "#service/ports/nodes.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSimRecords, type Run, type SimDisk } from "./sim-records.ts";
import { openSimTelemetry, type StoredPoints } from "./sim-telemetry.ts";
import { CALL, type SideNeeds, surroundings } from "./surroundings.ts";

export interface GatewayNeeds extends SideNeeds {
  readonly disk: SimDisk;
  readonly points: StoredPoints;
  readonly channel: CommandChannel;
  isOnline(deviceId: string): boolean;
  readonly openLinkSocket: (run: Run) => OpenLinkSocket;
  readonly bug: {
    readonly stores?: ((stores: SubjectStores) => SubjectStores) | undefined;
    readonly needs?: ((needs: UplinkNeeds) => UplinkNeeds) | undefined;
  };
}

export interface GatewayRun extends Run {
  readonly stores: SubjectStores;
  readonly telemetry: TelemetryStore;
  readonly dispatcher: CommandDispatcher;
  readonly uplink: Uplink;
  create(input: ExecutionInput): Promise<string>;
  join(askCloud: AskCloud): Promise<void>;
}

export async function startGateway(side: GatewayNeeds, run: Run): Promise<GatewayRun> {
  const opened = openSimRecords(side, run);
  const stores = side.bug.stores?.(opened) ?? opened;
  const store = openSimTelemetry(side, run);
  const around = surroundings(side, run, stores);
  const telemetryLane = createTelemetryLane({ ...around, telemetry: store });
  const commandGuard = { permit: async () => {} };
  const base = { ...around, commandGuard, telemetry: telemetryLane.telemetry, telemetryLane, channel: side.channel };
  const dispatcher = createCommandDispatcher({ ...base, nodes: oneNode() });
  const needs = {
    ...base,
    dispatcher,
    connectivity: { status: (id: string) => (side.isOnline(id) ? ("ONLINE" as const) : ("OFFLINE" as const)) },
    openLinkSocket: side.openLinkSocket(run),
    onTurn: () => {},
    offlineAccess: { follow: async () => {} },
    takesTokens: false,
  } as unknown as UplinkNeeds;
  const uplink = createUplink(side.bug.needs?.(needs) ?? needs);
  const started = Object.assign(run, {
    stores,
    telemetry: telemetryLane.telemetry,
    dispatcher,
    uplink,
    create: async (input: ExecutionInput) =>
      (await createExecution({ ...base, dispatcher } as unknown as Parameters<typeof createExecution>[0], CALL, input))
        .id,
    join: async (askCloud: AskCloud) => {
      const authenticator = { forgetCloud: () => {} };
      const join = { ...base, authenticator, uplink, askCloud } as unknown as JoinNeeds;
      await joinCloud(join, CALL, { url: "http://cloud", code: "code" });
    },
  });
  await telemetryLane.restart();
  await dispatcher.recover();
  await uplink.restart();
  return started;
}
