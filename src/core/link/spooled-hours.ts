// The hours of devices that a spool of telemetry knows, by device, and those that have to be uploaded as a whole, by hour.
import { HOUR_MS } from "#core/time/hour.ts";

export interface LinkedHour {
  readonly deviceId: string;
  /** Hours since 1970. */
  readonly hour: number;
}

export interface Hour extends LinkedHour {
  /** The cloud gets all its points. */
  isWhole: boolean;
  /** It is being uploaded now. */
  isBusy: boolean;
  /** Rises whenever points were left to the whole hour. */
  version: number;
  /** Messages that are being stored, in the queue or on their way. */
  pending: number;
  /** Not uploaded before this time. */
  waitsUntil: number;
  /** Points of it were deleted here before the cloud had them. */
  hasExpired: boolean;
}

/** Hours of one device. All of them are of one day. */
export interface SentHours {
  readonly deviceId: string;
  /** Newest first. */
  readonly hours: readonly { readonly hour: number; readonly version: number }[];
}

const DAY_HOURS = 24;

export function createSpooledHours() {
  const devices = new Map<string, Map<number, Hour>>();
  /** By hour, so that the newest is found quickly. */
  const whole = new Map<number, Set<Hour>>();
  let marked = 0;
  let wholeHours = 0;

  const find = (deviceId: string, hour: number) => devices.get(deviceId)?.get(hour);

  function create(deviceId: string, hour: number): Hour {
    const made = {
      deviceId,
      hour,
      isWhole: false,
      isBusy: false,
      version: 0,
      pending: 0,
      waitsUntil: 0,
      hasExpired: false,
    };
    let hours = devices.get(deviceId);
    if (hours === undefined) {
      hours = new Map();
      devices.set(deviceId, hours);
    }
    hours.set(hour, made);
    marked++;
    return made;
  }

  function leaveToWhole(hour: Hour, retryAt = 0): void {
    hour.version++;
    hour.waitsUntil = Math.max(hour.waitsUntil, retryAt);
    if (hour.isWhole) return;
    hour.isWhole = true;
    wholeHours++;
    const same = whole.get(hour.hour);
    if (same === undefined) whole.set(hour.hour, new Set([hour]));
    else same.add(hour);
  }

  function complete(hour: Hour): void {
    if (!hour.isWhole) return;
    hour.isWhole = false;
    wholeHours--;
    const same = whole.get(hour.hour);
    same?.delete(hour);
    if (same?.size === 0) whole.delete(hour.hour);
  }

  function remove(hour: Hour): void {
    complete(hour);
    const hours = devices.get(hour.deviceId);
    if (hours?.get(hour.hour) !== hour) return;
    hours.delete(hour.hour);
    marked--;
    if (hours.size === 0) devices.delete(hour.deviceId);
  }

  function takeOut(isTaken: (hour: Hour) => boolean): readonly LinkedHour[] {
    const taken = [...devices.values()].flatMap((hours) => [...hours.values()].filter(isTaken));
    for (const hour of taken) remove(hour);
    return taken.map(({ deviceId, hour }) => ({ deviceId, hour }));
  }

  /** Earlier hours of the same device and day, newest first; none while the day goes on. */
  function othersOfDay({ deviceId, hour }: Hour, now: number): readonly Hour[] {
    const first = Math.floor(hour / DAY_HOURS) * DAY_HOURS;
    if ((first + DAY_HOURS) * HOUR_MS > now) return [];
    return Array.from({ length: hour - first }, (_, i) => find(deviceId, hour - 1 - i)).filter(
      (one) => one !== undefined,
    );
  }

  function take(deviceId: string, hours: readonly Hour[]): SentHours {
    for (const hour of hours) hour.isBusy = true;
    return { deviceId, hours: hours.map(({ hour, version }) => ({ hour, version })) };
  }

  return {
    find,
    create,
    leaveToWhole,
    complete,
    takeOut,
    othersOfDay,
    take,
    hoursOf: (deviceId: string): readonly Hour[] => [...(devices.get(deviceId)?.values() ?? [])],
    newestWhole(isWanted: (hour: Hour) => boolean): Hour | undefined {
      for (const number of [...whole.keys()].sort((a, b) => b - a)) {
        for (const hour of whole.get(number) ?? []) if (isWanted(hour)) return hour;
      }
      return undefined;
    },
    wholeNumbers: () => whole.keys(),
    count: () => ({ marked, whole: wholeHours }),
    clear() {
      devices.clear();
      whole.clear();
      [marked, wholeHours] = [0, 0];
    },
  };
}
