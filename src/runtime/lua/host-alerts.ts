// The alerts that the host raises in the name of a device that cannot talk, whatever its script says or leaves out. They
// are added to the script's own list, so that neither list ends the alerts of the other.

import { bytesOf, type LuaValue } from "#drivers/lua-value.ts";
import type { Background } from "#service/background.ts";
import type { After } from "#service/deadlines.ts";
import type { Needs } from "#service/ports.ts";
import type { LuaPoolNeeds } from "./lua-pool.ts";

export interface HostAlertNeeds {
  readonly alerts: Pick<Needs["alerts"], "active">;
  readonly background: Background;
  readonly after: After;
  readonly now: Needs["now"];
}

/** Why a running script cannot do its work. */
export interface Obstacle {
  readonly state: "NOT_CONFIGURED" | "COMMUNICATION_FAILED";
  readonly message: string;
  /** Unix milliseconds. */
  readonly at: number;
}

type Telemetry = LuaPoolNeeds["telemetry"];

interface HostAlerts {
  /** The telemetry of a script, with the host's alerts in its list. */
  readonly telemetry: Telemetry;
  changed(deviceId: string, obstacle: Obstacle | undefined): void;
  /** Another script starts: what the one before has sent no longer counts. */
  restart(deviceId: string): void;
  forget(deviceId: string): void;
  /** Nothing is read or sent by itself from then on. */
  stop(): void;
}

const ALERT_OF = { NOT_CONFIGURED: "not_configured", COMMUNICATION_FAILED: "communication_failed" } as const;
const LIST = "alerts";
/** An alert of an earlier run ends this long after the start, if there was no reason for it since. */
const SETTLED_MS = 60_000;

interface Entry {
  /** The list that the script sent last. */
  own: readonly LuaValue[];
  /** Undefined until something was said about it. */
  obstacle: Obstacle | undefined;
  hasSent: boolean;
  callOff: () => void;
}

export function createHostAlerts(needs: HostAlertNeeds, pass: Telemetry): HostAlerts {
  const entries = new Map<string, Entry>();
  let isStopped = false;

  function entryOf(deviceId: string): Entry {
    const known = entries.get(deviceId);
    if (known !== undefined) return known;
    const made: Entry = { own: [], obstacle: undefined, hasSent: false, callOff: () => {} };
    entries.set(deviceId, made);
    if (isStopped) return made;
    made.callOff = needs.after(SETTLED_MS, () => {
      needs.background.run("end alerts of an earlier run", () => endLeft(deviceId, made));
    });
    return made;
  }

  async function endLeft(deviceId: string, entry: Entry): Promise<void> {
    if (entry.hasSent) return;
    const ids: readonly string[] = Object.values(ALERT_OF);
    const isLeft = (await needs.alerts.active(deviceId)).some(({ alertId }) => ids.includes(alertId));
    if (isLeft && !entry.hasSent && entries.get(deviceId) === entry) send(deviceId, entry);
  }

  function listOf({ own, obstacle }: Entry): readonly LuaValue[] {
    return obstacle === undefined ? own : [...new Set([...own, ALERT_OF[obstacle.state]])];
  }

  function send(deviceId: string, entry: Entry): void {
    entry.hasSent = true;
    const values = new Map<string, LuaValue>([[LIST, listOf(entry)]]);
    if (entry.obstacle !== undefined) {
      const details = new Map<string, LuaValue>([["message", bytesOf(entry.obstacle.message)]]);
      values.set("alert_details", new Map([[ALERT_OF[entry.obstacle.state], details]]));
    }
    pass(deviceId, values, { child: undefined, at: needs.now() });
  }

  return {
    telemetry(deviceId, values, about) {
      if (about.child !== undefined) return pass(deviceId, values, about);
      const entry = entryOf(deviceId);
      const given = values.get(LIST);
      const isEmpty = given instanceof Map && given.size === 0;
      if (Array.isArray(given) || isEmpty) {
        entry.own = Array.isArray(given) ? given : [];
        entry.hasSent = true;
      }
      if (entry.obstacle === undefined || (given !== undefined && !Array.isArray(given) && !isEmpty))
        return pass(deviceId, values, about);
      pass(deviceId, new Map(values).set(LIST, listOf(entry)), about);
    },
    changed(deviceId, obstacle) {
      const entry = entryOf(deviceId);
      const former = entry.obstacle;
      entry.obstacle = obstacle;
      if (former?.state !== obstacle?.state || former?.message !== obstacle?.message) send(deviceId, entry);
    },
    restart(deviceId) {
      const entry = entries.get(deviceId);
      if (entry !== undefined) entry.own = [];
    },
    forget(deviceId) {
      entries.get(deviceId)?.callOff();
      entries.delete(deviceId);
    },
    stop() {
      isStopped = true;
      for (const { callOff } of entries.values()) callOff();
    },
  };
}
