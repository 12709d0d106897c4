import { refuse } from "#core/app-error.ts";
import { renderProfile } from "#core/blueprint/render-profile.ts";
import { bytesRoute, RawAnswer, type Route, route } from "#http/route.ts";
import { NOTHING } from "#http/wire.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Blueprints";

export function profileRoutes(needs: Pick<Needs, "profiles">): readonly Route[] {
  /** Profiles do not change while the service runs. */
  let zip: Uint8Array | undefined;
  return [
    route({
      method: "GET",
      path: "/v3/blueprints/device_profiles/download",
      operation: "downloadProfiles",
      summary: "Download the profiles that this installation knows",
      description: "A zip with one file for each profile; the path of a file is the id of its profile.",
      tag,
      access: "readonly",
      answer: { contentType: "application/zip", description: "The profiles." },
      handle: async () => {
        zip ??= packPackage(profileFiles(needs.profiles));
        const headers = { "content-disposition": 'attachment; filename="profiles.zip"' };
        return new RawAnswer("application/zip", zip, headers);
      },
    }),
    bytesRoute({
      method: "POST",
      path: "/v3/blueprints/upload_device_profiles",
      operation: "uploadProfiles",
      summary: "Refused: profiles come from a folder",
      description: "Profiles are read at the start from the folder of the setting blueprints.profiles.",
      tag,
      access: "installer",
      body: ["application/zip"],
      answer: NOTHING,
      handle: async () => {
        const message =
          "profiles are not uploaded: put their files into the folder of the setting blueprints.profiles and start again";
        throw refuse("not_available", message);
      },
    }),
  ];
}

/** JSON is YAML, too. */
function profileFiles(profiles: Needs["profiles"]): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const id of profiles.ids()) {
    const profile = profiles.get(id);
    const text = profile && `${JSON.stringify(renderProfile(profile), null, 2)}\n`;
    if (text !== undefined) files.set(`${id.replaceAll(".", "/")}.yml`, new TextEncoder().encode(text));
  }
  return files;
}
