import { createFollowOnce } from "#core/follow-once.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { StorageGate } from "#store/storage-gate.ts";

/** The same store, but it asks the gate before it takes points: on a full disk telemetry stops first. */
export function guardTelemetry(store: TelemetryStore, gate: StorageGate): TelemetryStore {
  async function guarded<Result>(write: () => Promise<Result>): Promise<Result> {
    const refusal = gate.refusal(false);
    if (refusal !== undefined) throw refusal;
    try {
      return await write();
    } catch (error) {
      gate.noteFailure(error);
      throw error;
    }
  }
  const noteFailure = createFollowOnce((stored: Promise<void>) =>
    stored.catch((error: unknown) => {
      gate.noteFailure(error);
      throw error;
    }),
  );
  return {
    ...store,
    append(messages) {
      const refusal = gate.refusal(false);
      return refusal === undefined ? noteFailure(store.append(messages)) : Promise.reject(refusal);
    },
    holdBack: (message, arrivedAt) => guarded(() => store.holdBack(message, arrivedAt)),
    loadPacked: (deviceId, piece, refused) => guarded(() => store.loadPacked(deviceId, piece, refused)),
    load: (deviceId, columns) => guarded(() => store.load(deviceId, columns)),
  };
}
