import { refuse } from "#core/app-error.ts";
import type { DeviceCredential, DeviceType } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { hashPassword } from "#service/access/hash-secret.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Carrier, Needs } from "#service/ports.ts";

const SECRET_BYTES = 32;
const CHANNEL_ID = "main";
/** Types that sign in themselves; the others are reached over the gateway or a parent. */
const SIGN_IN: ReadonlySet<DeviceType> = new Set(["STANDALONE", "HARDWARE_UCM", "VIRTUAL_UCM", "EMBEDDED_UCM"]);

export interface GeneratedConfig {
  readonly hardwareId: string;
  readonly channelId: string;
  /** Shown this once; only its hash is stored. */
  readonly secret: string;
}

export interface GenerateConfigNeeds extends Pick<Needs, "devices" | "now" | "newId" | "randomBytes"> {
  readonly channel: Carrier;
}

/** Makes a new secret, which voids the former one; the hardware id stays. */
export async function generateConfig(
  needs: GenerateConfigNeeds,
  call: Call,
  idOrSlug: string,
): Promise<GeneratedConfig> {
  const device = await visibleDevice(needs, call, idOrSlug);
  if (!SIGN_IN.has(device.type)) {
    throw refuse("conflict", `a device of type ${device.type} does not connect by itself, so it has no credentials`);
  }
  const before = await needs.devices.findCredential(device.id);
  const secret = Buffer.from(needs.randomBytes(SECRET_BYTES)).toString("base64url");
  const credential: DeviceCredential = {
    deviceId: device.id,
    hardwareId: before?.hardwareId ?? `V${needs.newId().replaceAll("-", "").toUpperCase()}`,
    channelId: before?.channelId ?? CHANNEL_ID,
    secretHash: hashPassword(secret),
    issuedAt: needs.now(),
  };
  const trail = auditTrail(needs, call, {
    target: { siteId: device.siteId, deviceId: device.id },
  });
  await needs.devices.putCredential(credential, trail);
  needs.channel.disconnect(device.id);
  return { hardwareId: credential.hardwareId, channelId: credential.channelId, secret };
}
