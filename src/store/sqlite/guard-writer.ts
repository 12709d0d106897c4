import type { Writer } from "#store/records/writer.ts";
import type { StorageGate } from "#store/storage-gate.ts";
import type { LocalWriter } from "./writer.ts";

/** The same writer, but it asks the gate before each write. */
export function guardWriter(writer: LocalWriter, gate: StorageGate): LocalWriter {
  const run: Writer["run"] = (name, input, hints) => {
    const fromReserve = writer.fromReserve.has(name);
    const refusal = gate.refusal(fromReserve);
    if (refusal !== undefined) return Promise.reject(refusal);
    return writer.run(name, input, hints).catch((error: unknown) => {
      // Each failure frees a slice of the reserve, so this ends when the reserve does.
      if (!gate.noteFailure(error) || !fromReserve) throw error;
      return run(name, input, hints);
    });
  };
  return { ...writer, run };
}
