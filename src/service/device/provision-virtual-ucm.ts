import { refuse } from "#core/app-error.ts";
import { CHANNEL_ID, type Device, type DeviceCredential } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { hashPassword } from "#service/access/hash-secret.ts";
import { SECRET_BYTES } from "#service/device/generate-config.ts";
import { type ProvisionInput, type ProvisionNeeds, provisionDevice } from "#service/device/provision-device.ts";
import type { Call, Needs } from "#service/ports.ts";

export type VirtualUcmNeeds = ProvisionNeeds & Pick<Needs, "randomBytes">;

/**
 * The caller chooses the hardware id, so the device has it from the start. Its secret is known to nobody until
 * Generate Config makes a new one.
 */
export async function provisionVirtualUcm(
  needs: VirtualUcmNeeds,
  call: Call,
  input: ProvisionInput & { readonly hardwareId: string | undefined },
): Promise<Device> {
  const { hardwareId } = input;
  if (hardwareId !== undefined && (await needs.devices.findCredentialByHardwareId(hardwareId)) !== undefined) {
    throw refuse("conflict", `the hardware id ${hardwareId} is taken`, { pointer: "/hardware_id" });
  }
  const device = await provisionDevice(needs, call, input);
  if (hardwareId !== undefined) {
    const secret = Buffer.from(needs.randomBytes(SECRET_BYTES)).toString("base64url");
    const credential: DeviceCredential = {
      deviceId: device.id,
      hardwareId,
      channelId: CHANNEL_ID,
      secretHash: hashPassword(secret),
      protocol: "MQTT",
      issuedAt: needs.now(),
    };
    const trail = auditTrail(needs, call, { target: { siteId: device.siteId, deviceId: device.id } });
    await needs.devices.putCredential(credential, trail);
  }
  return device;
}
