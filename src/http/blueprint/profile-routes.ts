import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { renderProfile } from "#core/blueprint/render-profile.ts";
import { diagnosticSchema } from "#http/blueprint/blueprint-wire.ts";
import { packageBytes } from "#http/blueprint/package-bytes.ts";
import { bytesRoute, RawAnswer, type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import type { ProfileCatalog } from "#service/blueprint/profile-catalog.ts";
import { type UploadProfilesNeeds, uploadProfiles } from "#service/blueprint/upload-profiles.ts";

const tag = "Blueprints";

export function profileRoutes(needs: UploadProfilesNeeds): readonly Route[] {
  let packed: { readonly revision: number; readonly zip: Uint8Array } | undefined;
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
        const revision = needs.profiles.revision();
        if (packed?.revision !== revision) packed = { revision, zip: packPackage(profileFiles(needs.profiles)) };
        const headers = { "content-disposition": 'attachment; filename="profiles.zip"' };
        return new RawAnswer("application/zip", packed.zip, headers);
      },
    }),
    bytesRoute({
      method: "POST",
      path: "/v3/blueprints/upload_device_profiles",
      operation: "uploadProfiles",
      summary: "Upload profiles",
      description:
        "A zip with one YAML file for each profile; the path of a file is the id of its profile. All are stored or none, and they count at once, on all sites. A profile that is no draft never changes.",
      tag,
      access: "vendor",
      body: ["application/zip", "multipart/form-data"],
      answer: Type.Object(
        {
          profiles: Type.Array(Type.String(), { description: "The ids of all profiles of the zip." }),
          diagnostics: Type.Array(diagnosticSchema, { description: "Warnings. The path is that of the file." }),
        },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const { ids, issues } = await uploadProfiles(needs, call, packageBytes(call));
        const diagnostics = issues.map((issue) => renderDiagnostic({ ...issue, path: issue.file }));
        return { profiles: ids, diagnostics };
      },
    }),
  ];
}

/** JSON is YAML, too. */
function profileFiles(profiles: ProfileCatalog): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const id of profiles.ids()) {
    const profile = profiles.get(id);
    const text = profile && `${JSON.stringify(renderProfile(profile), null, 2)}\n`;
    if (text !== undefined) files.set(`${id.replaceAll(".", "/")}.yml`, new TextEncoder().encode(text));
  }
  return files;
}
