// Copies what a gateway tells. Nothing is believed that is about another gateway's sites or devices.
import { AppError } from "#core/app-error.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import { LinkMistake } from "#core/link/parse-message.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface ApplyNeeds extends UploadNeeds, Pick<Needs, "gateways" | "copies" | "devices" | "telemetry"> {
  readonly log: { warn(about: object, text: string): void };
  readonly dispatcher: Pick<CommandDispatcher, "applyRemote">;
  readonly connectivity: Pick<Connectivity, "connected" | "forget">;
}

/** Whose records they are. */
export interface Teller {
  readonly gatewayId: string;
  /** Site of each of its devices; kept up to date here. */
  readonly devices: Map<string, string>;
  /** Those of its devices that stand for the gateway itself. */
  readonly own: Set<string>;
}

/** `gap`: responses of the execution are missing. */
export async function applyItem(needs: ApplyNeeds, teller: Teller, item: LinkedItem): Promise<"applied" | "gap"> {
  const { gatewayId, devices } = teller;
  switch (item.kind) {
    case "site":
      if (item.value === null) await needs.copies.deleteSite(gatewayId, item.key);
      else await needs.copies.site(gatewayId, { ...item.value, id: item.key });
      return "applied";
    case "blueprint": {
      if (item.value === null) return "applied";
      const { digest, content } = item.value;
      if ((await needs.blueprints.findByDigest(digest)) !== undefined) return "applied";
      try {
        await uploadBlueprint(needs, callOf(teller), Buffer.from(content, "base64"));
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "invalid_blueprint") throw error;
        // Its devices are shown without a blueprint. The gateway may have profiles or rocks that are missing here.
        needs.log.warn({ gatewayId, err: error }, "a blueprint of a gateway is not valid here");
      }
      return "applied";
    }
    case "device": {
      if (item.value === null) {
        await needs.copies.deleteDevice(gatewayId, item.key, needs.now());
        devices.delete(item.key);
        await needs.telemetry.deleteDevice(item.key);
        needs.connectivity.forget(item.key);
        return "applied";
      }
      const { blueprintDigest, ...device } = item.value;
      const blueprint =
        blueprintDigest === undefined ? undefined : await needs.blueprints.findByDigest(blueprintDigest);
      await needs.copies.device(gatewayId, { ...device, id: item.key, blueprintId: blueprint?.id });
      devices.set(item.key, device.siteId);
      if (device.type === "GATEWAY") {
        // It speaks to us, so it is there.
        teller.own.add(item.key);
        needs.connectivity.connected(item.key);
      }
      return "applied";
    }
    case "properties":
      if (devices.has(item.key)) await needs.copies.properties(gatewayId, item.key, item.value);
      return "applied";
    case "execution": {
      const { execution } = item.value;
      const siteId = devices.get(execution.deviceId);
      // Its device was deleted meanwhile, or is another gateway's.
      if (siteId === undefined) return "applied";
      if (siteId !== execution.siteId) throw new LinkMistake(`execution ${execution.id} is of another site`);
      return (await needs.dispatcher.applyRemote(item.value)).kind === "gap" ? "gap" : "applied";
    }
  }
}

/** After a whole telling: deletes what was not named. */
export async function forgetOthers(needs: ApplyNeeds, teller: Teller, named: ReadonlySet<string>): Promise<void> {
  for (const deviceId of await needs.gateways.devices(teller.gatewayId)) {
    if (named.has(`device ${deviceId}`)) continue;
    await applyItem(needs, teller, { kind: "device", key: deviceId, value: null });
  }
  for (const siteId of await needs.gateways.sites(teller.gatewayId)) {
    if (named.has(`site ${siteId}`)) continue;
    await applyItem(needs, teller, { kind: "site", key: siteId, value: null });
  }
}

function callOf({ gatewayId }: Teller): Call {
  return {
    caller: { tokenId: gatewayId, tokenName: "gateway", level: "system", sites: "all" },
    operation: "uploadBlueprint",
    requestId: "link",
    remoteAddress: "link",
  };
}
