import type { Claim } from "#core/control/claim.ts";
import { startedAnew } from "#core/control/control-writer.ts";
import type { ControlStore } from "#service/ports/control-store.ts";
import { type ControlEntry, newEntry } from "./control-entry.ts";

/** The controls that somebody claims or that still owe their fallback. */
export class ControlEntries {
  readonly #byDevice = new Map<string, Map<string, ControlEntry>>();

  /** Makes it if there is none. */
  of(deviceId: string, control: string): ControlEntry {
    const ofDevice = this.#byDevice.get(deviceId) ?? new Map<string, ControlEntry>();
    this.#byDevice.set(deviceId, ofDevice);
    const entry = ofDevice.get(control) ?? newEntry(deviceId, control);
    ofDevice.set(control, entry);
    return entry;
  }

  /** A new one if there is none, which is not kept. */
  find(deviceId: string, control: string): ControlEntry {
    return this.#byDevice.get(deviceId)?.get(control) ?? newEntry(deviceId, control);
  }

  ofDevice(deviceId: string): Iterable<ControlEntry> {
    return this.#byDevice.get(deviceId)?.values() ?? [];
  }

  all(): readonly ControlEntry[] {
    return [...this.#byDevice.values()].flatMap((ofDevice) => [...ofDevice.values()]);
  }

  delete({ deviceId, control }: ControlEntry): void {
    const ofDevice = this.#byDevice.get(deviceId);
    ofDevice?.delete(control);
    if (ofDevice?.size === 0) this.#byDevice.delete(deviceId);
  }

  clear(): void {
    this.#byDevice.clear();
  }

  /** What is stored, for a start. */
  load({ claims, states }: Awaited<ReturnType<ControlStore["load"]>>): void {
    for (const { deviceId, control, state } of states) {
      // The device may still have an alert of it, so its alerts are reported once, also if there are none.
      const entry = Object.assign(this.of(deviceId, control), { hasAlerted: true });
      if (state.isHeld) Object.assign(entry, { state: startedAnew(state), isDirty: true });
    }
    this.putClaims(claims);
  }

  /** All claims that there are. */
  putClaims(claims: readonly Claim[]): void {
    for (const entry of this.all()) entry.claims = [];
    for (const claim of claims) {
      const entry = this.of(claim.deviceId, claim.control);
      entry.claims = [...entry.claims, claim];
    }
  }
}
