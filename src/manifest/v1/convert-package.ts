import { decodeText } from "#core/text/decode-text.ts";
import type { ConversionNote } from "#manifest/v1/conversion.ts";
import { convertManifest } from "#manifest/v1/convert-manifest.ts";
import { reviewV1Script } from "#manifest/v1/review-v1-script.ts";

interface OldPackage {
  /** Maps a path with / to its content, the manifest included. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly manifestPath: string;
  readonly manifest: string;
}

export interface ConvertedPackage {
  /** Every file of the new package; undefined when the old one cannot be converted. */
  readonly files: ReadonlyMap<string, Uint8Array> | undefined;
  readonly notes: readonly PackageNote[];
  /** It is of device/3.0 already. */
  readonly isConverted: boolean;
}

/** `port`: the gateway needs this port. */
export interface PackageNote extends Omit<ConversionNote, "kind"> {
  readonly kind: ConversionNote["kind"] | "port";
}

/** A package of device/1.0 as one of device/3.0: the manifest is translated, and every other file stays as it is. */
export function convertPackage({ files, manifest, manifestPath }: OldPackage): ConvertedPackage {
  const { text, notes, isConverted = false } = convertManifest(manifest);
  if (text === undefined) return { files: undefined, notes, isConverted };
  const scripts = [...files].filter(([path]) => path.endsWith(".lua"));
  const remarks = scripts.flatMap(([path, content]) =>
    reviewV1Script(decodeText(content) ?? "").map(
      ({ kind, line, message }): PackageNote => ({ kind, path: `${path}:${line}`, message }),
    ),
  );
  const converted = new Map(files).set(manifestPath, new TextEncoder().encode(text));
  return { files: converted, notes: [...notes, ...firstOfEach(remarks)], isConverted };
}

/** A port is named once, however many files use it. */
function firstOfEach(remarks: readonly PackageNote[]): readonly PackageNote[] {
  const seen = new Set<string>();
  return remarks.filter(({ message }) => !seen.has(message) && seen.add(message));
}
