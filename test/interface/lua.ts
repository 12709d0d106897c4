// Devices that a Lua script drives, for checks over the real interpreter.
import { expect } from "vitest";
import type { Site, SiteDevice } from "../support/use-site.ts";
import { packageOf } from "../support/validate.ts";

/** A device of the package's blueprint, on the site, whose script has come up. */
export async function luaDevice(site: Site, files: Readonly<Record<string, string>>): Promise<SiteDevice> {
  const { admin } = site.busbar;
  const body = { name: "Script", site_id: site.siteId, blueprint_id: await site.blueprint(packageOf(files)) };
  const made = await admin.post<{ device_id: string }>("/v3/provisioning/lua_device", body);
  expect(made.status, made.text).toBe(200);
  return site.deviceAt(made.body.device_id);
}

/** A manifest of a scripted device with these options and more fields. */
export function luaManifest(options: string, more = ""): string {
  return `blueprint_spec: device/3.0\ndisplay_name: Scripted\nruntime: {type: lua, options: {${options}}}\n${more}\n`;
}
