// What a cloud keeps for one connection of a gateway: the parts that store what it sends.
import type { ExecutionChange, Merge } from "#core/command/remote-execution.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { SourceGateway } from "#service/link/apply-linked.ts";
import { createAskedExecutions } from "#service/link/asked-executions.ts";
import { createConfirmations } from "#service/link/confirmations.ts";
import { createGatewayDevices } from "#service/link/gateway-devices.ts";
import { createGatewayOrders, type OrderNeeds } from "#service/link/gateway-orders.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import { createRefusals } from "#service/link/refusals.ts";
import { createRecordIntake, type TakeRecordsNeeds } from "#service/link/take-records.ts";
import { type TakeTelemetryNeeds, takeTelemetry } from "#service/link/take-telemetry.ts";

export interface GatewayIntakeNeeds
  extends Omit<TakeRecordsNeeds, "connectivity" | "dispatcher" | "log">,
    TakeTelemetryNeeds,
    OrderNeeds {
  readonly dispatcher: CommandDispatcher;
  readonly connectivity: Connectivity;
  /** What one gateway may have here. */
  readonly linkedLimits: { readonly sites: number; readonly devices: number; readonly series: number };
  readonly log: { info(about: object, text: string): void; warn(about: object, text: string): void };
}

interface Connection {
  readonly gatewayId: string;
  readonly channel: LinkChannel<DownMessage, UpMessage>;
  readonly onTakeover: (formerOwner: string) => void;
  readonly onDevice: (deviceId: string, isThere: boolean) => void;
  /** Ends the connection. */
  readonly fail: (error: unknown, text: string, reason?: string) => void;
}

export function openGatewayIntake(needs: GatewayIntakeNeeds, connection: Connection) {
  const { gatewayId, channel, onTakeover, onDevice, fail } = connection;
  const { send, turn } = channel;
  const devices = createGatewayDevices(needs, gatewayId);
  const refusals = createRefusals(needs, gatewayId);
  const orders = createGatewayOrders(needs, channel);
  const asked = createAskedExecutions(needs, gatewayId, send);
  const source: SourceGateway = {
    gatewayId,
    devices: devices.sites,
    own: devices.own,
    refusedSites: refusals.sites,
    onTakeover,
  };
  async function applyRemote(change: ExecutionChange): Promise<Merge> {
    const merge = await needs.dispatcher.applyRemote(change);
    orders.reported(change.execution.id);
    return merge;
  }
  const applying = { ...needs, dispatcher: { applyRemote } };
  const records = createRecordIntake(applying, source, { refusals, turn, ask: asked.ask, onDevice });
  const confirmations = createConfirmations(
    // A line that is gone is noticed where messages are read.
    (to) => send({ type: "ack", to, ...refusals.news() }).catch(() => {}),
    (error) => fail(error, "what a gateway has sent cannot be confirmed"),
  );
  const telemetry = takeTelemetry(needs, {
    devices: devices.sites,
    send,
    turn,
    maxSeries: needs.linkedLimits.series,
    async refused(deviceId, reason) {
      refusals.add({ kind: "telemetry", key: deviceId }, reason);
      await refusals.store();
    },
    fail(error) {
      const reason = error instanceof LinkMistake ? error.message : "the cloud cannot store telemetry";
      fail(error, "telemetry of a gateway cannot be stored", reason);
    },
  });
  return { devices, refusals, orders, asked, source, records, confirmations, telemetry };
}
