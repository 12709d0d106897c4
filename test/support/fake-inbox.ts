// The service behind a broker, as a carrier sees it: who may sign in, and what was reported.
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";

/** `telemetry d1 {"a":1}` and so on, in the order of the calls. */
export interface FakeInbox extends DeviceInbox {
  readonly calls: readonly string[];
  /** How many signs of life came from each device. */
  readonly signs: ReadonlyMap<string, number>;
  /** Resolves when a call that begins with the text has been made; each call is found once. */
  seen(beginning: string): Promise<string>;
  /** Until released, messages wait as if the disk were slow; gives the waiting ones in order. */
  hold(): Held[];
  /** Later messages are taken at once; those that wait too, unless `false`. */
  release(withWaiting?: boolean): void;
}

interface Held {
  readonly call: string;
  resolve(): void;
  reject(error: Error): void;
}

export interface FakeLogin extends SignedIn {
  readonly secret: string;
  readonly fingerprint?: string;
}

export function createFakeInbox(logins: readonly FakeLogin[]): FakeInbox {
  const calls: string[] = [];
  const signs = new Map<string, number>();
  const waiting: { beginning: string; resolve: (call: string) => void }[] = [];
  const unseen: string[] = [];
  let held: Held[] | undefined;

  const note = (call: string): void => {
    calls.push(call);
    const waiter = waiting.findIndex(({ beginning }) => call.startsWith(beginning));
    if (waiter >= 0) waiting.splice(waiter, 1)[0]?.resolve(call);
    else unseen.push(call);
  };
  const take = (call: string): Promise<void> => {
    note(call);
    if (held === undefined) return Promise.resolve();
    const list = held;
    return new Promise((resolve, reject) => list.push({ call, resolve, reject }));
  };
  const text = (value: unknown): string =>
    JSON.stringify(value, (_name, part: unknown) => {
      if (part instanceof Map) return Object.fromEntries(part);
      return typeof part === "number" && !Number.isFinite(part) ? String(part) : part;
    });

  const alive = (deviceId: string) => void signs.set(deviceId, (signs.get(deviceId) ?? 0) + 1);

  return {
    calls,
    signs,
    seen(beginning) {
      const found = unseen.findIndex((call) => call.startsWith(beginning));
      const [call] = found >= 0 ? unseen.splice(found, 1) : [];
      return call === undefined
        ? new Promise((resolve) => waiting.push({ beginning, resolve }))
        : Promise.resolve(call);
    },
    hold() {
      held = [];
      return held;
    },
    release(withWaiting = true) {
      if (withWaiting) for (const { resolve } of held ?? []) resolve();
      held = undefined;
    },
    signIn: async (hardwareId, secret) =>
      logins.find((login) => login.hardwareId === hardwareId && login.secret === secret),
    signInByCertificate: async (hardwareId, fingerprint) =>
      logins.find((login) => login.hardwareId === hardwareId && login.fingerprint === fingerprint),
    reachable: (deviceId) => note(`reachable ${deviceId}`),
    unreachable: (deviceId) => note(`unreachable ${deviceId}`),
    alive,
    connected: alive,
    child: async (deviceId, channelId) =>
      channelId.startsWith("child-") ? { deviceId: `${deviceId}/${channelId}`, channelId } : undefined,
    children: async () => [],
    registerChild: (deviceId, channelId, message) => take(`child ${deviceId} ${channelId} ${text(message)}`),
    telemetry: (deviceId, message) => take(`telemetry ${deviceId} ${text(message)}`),
    properties: (deviceId, message) => take(`properties ${deviceId} ${text(message)}`),
    log: (deviceId, message) => take(`log ${deviceId} ${text(message)}`),
    response: (deviceId, message) => take(`response ${deviceId} ${text(message)}`),
    malformed: (deviceId, problem) => take(`malformed ${deviceId} ${problem}`),
  };
}
