import { refuse } from "#core/app-error.ts";
import { CHANNEL_ID, type DeviceCredential, type DeviceType, type MqttProtocol } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { BROKER_SALT_BYTES, hashFingerprint, hashForBroker, hashPassword } from "#service/access/hash-secret.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Carrier, IssueCertificate } from "#service/ports/carrier.ts";
import type { Call, Needs } from "#service/ports.ts";

export const SECRET_BYTES = 32;
/** Types that sign in themselves; the others are reached through the gateway or a parent. */
const SIGN_IN: ReadonlySet<DeviceType> = new Set(["STANDALONE", "HARDWARE_UCM", "VIRTUAL_UCM", "EMBEDDED_UCM"]);

type Certificate = ReturnType<IssueCertificate>;

export interface GeneratedConfig {
  readonly hardwareId: string;
  readonly channelId: string;
  /** Shown only this once; only a hash is stored. */
  readonly credentials: { readonly password: string } | Certificate;
}

export interface GenerateConfigNeeds extends Pick<Needs, "devices" | "now" | "newId" | "randomBytes"> {
  readonly channel: Carrier;
}

interface ConfigInput {
  readonly device: string;
  readonly protocol: MqttProtocol;
  readonly issue: IssueCertificate | undefined;
}

/** Creates a new secret, or a certificate when `issue` is given, and voids the former one; the hardware id stays. */
export async function generateConfig(
  needs: GenerateConfigNeeds,
  call: Call,
  { device: idOrSlug, protocol, issue }: ConfigInput,
): Promise<GeneratedConfig> {
  const device = await visibleDevice(needs, call, idOrSlug);
  if (!SIGN_IN.has(device.type)) {
    const way = device.type === "CHILD" ? `; it uses the connection of its parent, on the channel ${device.slug}` : "";
    const message = `a device of type ${device.type} does not connect by itself, so it has no credentials${way}`;
    throw refuse("conflict", message);
  }
  const before = await needs.devices.findCredential(device.id);
  const hardwareId = before?.hardwareId ?? `V${needs.newId().replaceAll("-", "").toUpperCase()}`;
  const channelId = before?.channelId ?? CHANNEL_ID;
  const credentials = issue?.(hardwareId) ?? {
    password: Buffer.from(needs.randomBytes(SECRET_BYTES)).toString("base64url"),
  };
  const credential: DeviceCredential = {
    deviceId: device.id,
    hardwareId,
    channelId,
    secretHash:
      "password" in credentials ? hashPassword(credentials.password) : hashFingerprint(credentials.fingerprint),
    brokerPassword:
      "password" in credentials ? hashForBroker(credentials.password, needs.randomBytes(BROKER_SALT_BYTES)) : undefined,
    protocol,
    issuedAt: needs.now(),
  };
  const trail = auditTrail(needs, call, { target: { siteId: device.siteId, deviceId: device.id } });
  await needs.devices.putCredential(credential, trail);
  needs.channel.disconnect(device.id);
  return { hardwareId, channelId, credentials };
}
