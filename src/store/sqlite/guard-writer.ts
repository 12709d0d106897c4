import type { Writer } from "#store/records/writer.ts";
import type { StorageGate } from "#store/storage-gate.ts";
import type { LocalWriter } from "./writer.ts";

/** The same writer, but it asks the gate before each write. */
export function guardWriter(writer: LocalWriter, gate: StorageGate): LocalWriter {
  const run: Writer["run"] = async (name, input, hints) => {
    const fromReserve = writer.fromReserve.has(name);
    for (;;) {
      const refusal = gate.refusal(fromReserve);
      if (refusal !== undefined) throw refusal;
      try {
        return await writer.run(name, input, hints);
      } catch (error) {
        // Each failure frees a slice of the reserve, so the loop ends when the reserve does.
        if (!gate.noteFailure(error) || !fromReserve) throw error;
      }
    }
  };
  return { ...writer, run };
}
