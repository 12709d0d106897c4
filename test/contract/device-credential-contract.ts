import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { makeCredential, makeDevice, makeEntry, NOON, newId, OBJECT_PROPERTY_NAMES } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

export function deviceCredentialContract(open: OpenStores): void {
  test("a credential is found by its device and by its hardware id", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    for (const hardwareId of ["V1", ...OBJECT_PROPERTY_NAMES]) {
      const device = await devices.insert(makeDevice(siteId), makeEntry());
      const credential = makeCredential(device.id, { hardwareId, channelId: hardwareId });
      expect(await devices.findCredential(device.id)).toBeUndefined();
      expect(await devices.findCredentialByHardwareId(hardwareId)).toBeUndefined();
      await devices.putCredential(credential, makeEntry());
      expect(await devices.findCredential(device.id)).toEqual(credential);
      expect(await devices.findCredentialByHardwareId(hardwareId)).toEqual(credential);
    }
  });

  test("a new credential voids the former one", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const device = await devices.insert(makeDevice(siteId), makeEntry());
    const former = makeCredential(device.id);
    const secretHash = new Uint8Array(32).fill(1);
    const renewed = makeCredential(device.id, { secretHash, issuedAt: instant(NOON + 1), channelId: "other" });
    await devices.putCredential(former, makeEntry());
    await devices.putCredential(renewed, makeEntry());
    expect(await devices.findCredential(device.id)).toEqual(renewed);
    expect(await devices.findCredentialByHardwareId(former.hardwareId)).toBeUndefined();
    expect(await devices.findCredentialByHardwareId(renewed.hardwareId)).toEqual(renewed);
  });

  test("a credential goes with its device, and a device that is gone gets none", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const device = await devices.insert(makeDevice(siteId), makeEntry());
    const credential = makeCredential(device.id);
    await devices.putCredential(credential, makeEntry());
    await devices.delete(device.id, makeEntry());
    expect(await devices.findCredential(device.id)).toBeUndefined();
    expect(await devices.findCredentialByHardwareId(credential.hardwareId)).toBeUndefined();
    await expectRefusal(devices.putCredential(credential, makeEntry()), "conflict");
    await expectRefusal(devices.putCredential(makeCredential(newId()), makeEntry()), "conflict");
  });

  test("no device takes over the hardware id of another", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const [one, other] = [
      await devices.insert(makeDevice(siteId), makeEntry()),
      await devices.insert(makeDevice(siteId), makeEntry()),
    ];
    const credential = makeCredential(one.id);
    await devices.putCredential(credential, makeEntry());
    const stolen = makeCredential(other.id, { hardwareId: credential.hardwareId });
    await expect(devices.putCredential(stolen, makeEntry())).rejects.toThrow();
    expect(await devices.findCredentialByHardwareId(credential.hardwareId)).toEqual(credential);
    expect(await devices.findCredential(other.id)).toBeUndefined();
  });

  test("a stored credential leaves its audit entry, a refused one leaves none", async () => {
    const { stores, siteId } = await withSite(open);
    const device = await stores.devices.insert(makeDevice(siteId), makeEntry());
    const before = await auditIds(stores);
    const entry = makeEntry();
    await stores.devices.putCredential(makeCredential(device.id), entry);
    await expectRefusal(stores.devices.putCredential(makeCredential(newId()), makeEntry()), "conflict");
    expect(await auditIds(stores)).toEqual([...before, entry.id]);
    await expectNothingWithoutItsTrail(stores, (taken) =>
      stores.devices.putCredential(makeCredential(device.id), taken),
    );
  });
}
