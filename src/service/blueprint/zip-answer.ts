import { packPackage } from "#service/blueprint/pack-package.ts";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";
import { RawAnswer } from "#service/operation/answer.ts";

/** A package as a download; a bare manifest comes packed. `name` is an id of ours. */
export function zipAnswer(content: Uint8Array, name: string): RawAnswer {
  const unpacked = unpackPackage(content).package;
  const zip = unpacked?.kind === "manifest" ? packPackage(unpacked.files) : content;
  const file = name.replaceAll(/[^\w.-]/g, "_");
  return new RawAnswer("application/zip", zip, { "content-disposition": `attachment; filename="${file}.zip"` });
}
