// Carries the output of scripts to the inbox that all devices share.
import { AppError, refuse } from "#core/app-error.ts";
import type { ResponseMessage } from "#core/device/device-message.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { createByteShares, type GiveBack } from "#core/share/byte-shares.ts";
import { instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import type { After } from "#service/deadlines.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import type { ScriptStore, ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { LuaPoolNeeds } from "./lua-pool.ts";
import { parseScriptValues } from "./script-values.ts";

export interface ScriptOutputNeeds {
  readonly inbox: DeviceInbox;
  readonly scripts: ScriptStore;
  readonly background: Background;
  readonly after: After;
  readonly budgets: Pick<ByteBudgets, "open">;
}

export interface ScriptOutput extends Pick<LuaPoolNeeds, "telemetry" | "properties" | "log" | "respond" | "store"> {
  /** No outcome is tried again from now on. */
  stop(): void;
}

const LIMITS: ScriptStoreLimits = { entries: 1_000, bytes: 1024 * 1024 };
/** Output of scripts that is not stored yet, in total and per device. */
const WAITING_BYTES = 16 * 1024 * 1024;
const WAITING_BYTES_PER_DEVICE = 2 * 1024 * 1024;
/** The same for responses to commands. An outcome must not get lost, so without room only its payload is left out. */
const RESPONSE_BYTES = 8 * 1024 * 1024;
const RESPONSE_BYTES_PER_DEVICE = 2 * 1024 * 1024;
const PAYLOAD_LEFT_OUT = "the payload is left out: too many responses of this script wait to be stored";
/** An outcome that could not be stored is tried again after this long. */
const AGAIN_MS = 1_000;

interface Said {
  readonly message: unknown;
  readonly store: () => Promise<void>;
}

export function createScriptOutput(needs: ScriptOutputNeeds): ScriptOutput {
  const { inbox, background } = needs;
  const retries = new Set<() => void>();
  let stopped = false;
  const waiting = createByteShares(needs.budgets.open("script_messages", WAITING_BYTES), WAITING_BYTES_PER_DEVICE);

  const responses = createByteShares(needs.budgets.open("script_responses", RESPONSE_BYTES), RESPONSE_BYTES_PER_DEVICE);

  /** Output that finds no room while the disk is slow is dropped, and the service's log says so. */
  function take(name: string, deviceId: string, { message, store }: Said): void {
    const giveBack = waiting.take(deviceId, approximateBytes(message));
    background.run(name, async () => {
      if (typeof giveBack !== "function")
        throw refuse("overloaded", `too much waits to be stored for script ${deviceId}`);
      try {
        await unlessGone(store());
      } finally {
        giveBack();
      }
    });
  }

  /** What a script says in the name of a child is the child's own, as long as it is its child. */
  async function of(deviceId: string, child: string | undefined, pass: (id: string) => Promise<void>): Promise<void> {
    const id = child === undefined ? deviceId : (await inbox.child(deviceId, child))?.deviceId;
    if (id !== undefined) await pass(id);
  }

  function respond(deviceId: string, message: ResponseMessage): void {
    const bytes = approximateBytes(message.payload);
    const giveBack = responses.take(deviceId, bytes);
    if (typeof giveBack === "function") record(deviceId, message, giveBack);
    else record(deviceId, { ...message, payload: { message: PAYLOAD_LEFT_OUT } }, () => {});
  }

  function record(deviceId: string, message: ResponseMessage, giveBack: GiveBack): void {
    background.run("record a script's response", async () => {
      try {
        await inbox.response(deviceId, message);
        giveBack();
      } catch (error) {
        // Nobody else knows the outcome, so it is tried again. Progress has no outcome.
        if (message.state !== "IN_PROGRESS" && !stopped) {
          const callOff = needs.after(AGAIN_MS, () => {
            retries.delete(callOff);
            record(deviceId, message, giveBack);
          });
          retries.add(callOff);
        } else giveBack();
        throw error;
      }
    });
  }

  return {
    telemetry: (deviceId, values, { child }) =>
      take("take a script's telemetry", deviceId, {
        message: values,
        store: () => of(deviceId, child, (id) => inbox.telemetry(id, parseScriptValues(values))),
      }),
    properties: (deviceId, values, { child }) =>
      take("take a script's properties", deviceId, {
        message: values,
        store: () => of(deviceId, child, (id) => inbox.properties(id, parseScriptValues(values))),
      }),
    log: (deviceId, { text, severity, persist, at, child }) =>
      take("write a script's log", deviceId, {
        message: text,
        store: () => of(deviceId, child, (id) => inbox.log(id, { takenAt: instant(at), severity, text, persist })),
      }),
    respond: (deviceId, { commandId, state, payload }) =>
      respond(deviceId, { executionId: commandId, state, payload, repeated: false }),
    async store(deviceId, key, text) {
      try {
        if (text === undefined) {
          await needs.scripts.remove(deviceId, key);
          return undefined;
        }
        const outcome = await needs.scripts.put(deviceId, { key, value: text }, LIMITS);
        return outcome === "stored" ? undefined : PROBLEM[outcome];
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    stop() {
      stopped = true;
      for (const callOff of retries) callOff();
    },
  };
}

/** Output of a script whose device is being deleted is dropped. */
async function unlessGone(said: Promise<void>): Promise<void> {
  try {
    await said;
  } catch (error) {
    if (!(error instanceof AppError && error.refusals.every(({ code }) => code === "conflict"))) throw error;
  }
}

const PROBLEM = { full: "the storage of this device is full", gone: "the device is deleted" } as const;
