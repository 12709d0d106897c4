// One device's script. The same code runs in a worker of the pool by the real clock and in the test harness by a
// virtual one, so it gets time and random numbers only through the host.
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { createActivities } from "./activities.ts";
import type { LuaEngine } from "./lua-engine.ts";
import { StateGone } from "./lua-wasm.ts";
import type { DeviceScript, ScriptHost } from "./script-host.ts";

export function createDeviceScript(engine: LuaEngine, program: ScriptProgram, host: ScriptHost): DeviceScript {
  const activities = createActivities(engine, program, host);
  let isDead = false;
  return {
    nextDue: () => (isDead ? undefined : activities.nextDue()),
    run(budgetMs) {
      if (isDead) return "dead";
      try {
        const outcome = activities.run(budgetMs);
        if (outcome === "dead") isDead = true;
        return outcome;
      } catch (error) {
        // An exception that crossed C frames leaves the state corrupt: it is never entered again.
        isDead = true;
        activities.interrupted(error instanceof StateGone ? error.message : `the interpreter failed: ${String(error)}`);
        return "dead";
      }
    },
    command: (command, mayBegin) => activities.command(command, mayBegin),
    configurationWritten: (bucket, child) => activities.configurationWritten(bucket, child),
    connectionChanged: (isConnected) => activities.connectionChanged(isConnected),
    triggered: (args) => activities.triggered(args),
    activity: () => (isDead ? undefined : activities.activity()),
    handledCommands: () => activities.handledCommands(),
    memoryBytes: () => activities.memoryBytes(),
    close() {
      isDead = true;
      activities.close();
      host.drivers.close();
    },
  };
}
