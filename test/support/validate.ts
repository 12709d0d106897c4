// Manifests as a blueprint author sends them to a running service.
import { packPackage } from "#service/blueprint/pack-package.ts";
import { patiently } from "./patiently.ts";
import type { TestServer } from "./server.ts";

interface Diagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface Verdict {
  readonly validation_errors: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The least manifest there is, and more fields. */
export function manifestWith(more = "", { head = true } = {}): string {
  return `${head ? "blueprint_spec: device/3.0\ndisplay_name: Checked\nruntime: {type: embedded}\n" : ""}${more}\n`;
}

export function packageOf(files: Readonly<Record<string, string>>): Uint8Array {
  return packPackage(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
}

export function validator(busbar: TestServer) {
  const verdict = async (bytes: string | Uint8Array) => {
    const path = "/v3/blueprints/validate";
    const { status, body, text } = await patiently(() => busbar.anonymous.call<Verdict>("POST", path, { bytes }));
    if (status !== 200) throw new Error(text);
    return body;
  };
  /** `error unknown_key /telemetry/power/colour` for each diagnostic. */
  const found = async (bytes: string | Uint8Array) =>
    (await verdict(bytes)).diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path}`);
  return {
    verdict,
    found,
    /** Of manifests that hold one more field each, those that have errors. */
    refused: async (fields: readonly string[]) => {
      const wrong: string[] = [];
      for (const more of fields) {
        if ((await found(manifestWith(more))).some((issue) => issue.startsWith("error"))) wrong.push(more);
      }
      return wrong;
    },
  };
}
