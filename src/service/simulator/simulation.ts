// Reading and changing a simulated device, limited to what the caller's level may read.

import { type AccessLevel, allows } from "#core/access/level.ts";
import { type AppError, type Refusal, refuse } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { MistakeList, refuseMistakes } from "#core/mistakes.ts";
import type { AdjustmentChange } from "#core/simulator/adjustments.ts";
import { pointerTo } from "#core/text/json-pointer.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Simulation, Simulator } from "#service/ports/simulator.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface SimulationNeeds extends Pick<Needs, "devices" | "now" | "newId"> {
  readonly catalog: BlueprintCatalog;
  readonly simulator: Simulator;
  readonly hosts: Pick<HostRouter, "startNow">;
}

export async function readSimulation(needs: SimulationNeeds, call: Call, idOrSlug: string): Promise<Simulation> {
  const device = await simulated(needs, call, idOrSlug);
  const simulation = needs.simulator.look(device.id);
  if (simulation === undefined) throw notRunning(device);
  return readable(await deviceBlueprint(needs, device), call.caller.level, simulation);
}

/** A refusal lists everything that is wrong at once, and then nothing has changed. */
export async function adjustSimulation(
  needs: SimulationNeeds,
  call: Call,
  { device: idOrSlug, change }: { readonly device: string; readonly change: AdjustmentChange },
): Promise<Simulation> {
  const device = await simulated(needs, call, idOrSlug);
  const blueprint = await deviceBlueprint(needs, device);
  refuseUnreadable(blueprint, call.caller.level, change);
  const target = { siteId: device.siteId, deviceId: device.id };
  const trail = auditTrail(needs, call, { target, details: { changed: Object.keys(change) } });
  const outcome = await needs.simulator.adjust(device.id, change, trail);
  if (outcome === undefined) throw notRunning(device);
  if ("simulation" in outcome) return readable(blueprint, call.caller.level, outcome.simulation);
  const listed = outcome.problems.listed.map(({ at, message }) => ({
    code: "invalid_body" as const,
    message,
    details: { pointer: pointerTo("", ...at) },
  }));
  refuseMistakes({ listed, more: outcome.problems.more });
  throw new Error("a simulation was not changed, without a reason");
}

async function simulated(needs: SimulationNeeds, call: Call, idOrSlug: string): Promise<Device> {
  const device = await visibleDevice(needs, call, idOrSlug);
  if (device.type !== "SIMULATED") {
    throw refuse("conflict", `device ${device.slug} is not simulated: it is of type ${device.type}`);
  }
  // After a restart the device may still wait for its turn to start.
  await needs.hosts.startNow(device.id);
  return device;
}

function notRunning(device: Device): AppError {
  return refuse("conflict", `the simulation of device ${device.slug} does not run; its runtime says why`);
}

/** A value that requires a higher level to read also requires it to be held. */
function refuseUnreadable(blueprint: Blueprint | undefined, level: AccessLevel, change: AdjustmentChange): void {
  const refusals = new MistakeList<Refusal>();
  for (const kind of ["telemetry", "properties"] as const) {
    for (const name of change[kind]?.keys() ?? []) {
      const needed = blueprint?.[kind].get(name)?.accessLevel ?? "readonly";
      if (allows(level, needed)) continue;
      const message = `${name} takes access level ${needed}; the token has ${level}`;
      refusals.add(() => ({ code: "forbidden", message, details: { pointer: pointerTo("", kind, name), needed } }));
    }
  }
  refuseMistakes(refusals);
}

function readable(blueprint: Blueprint | undefined, level: AccessLevel, simulation: Simulation): Simulation {
  const filtered = (kind: "telemetry" | "properties", values: ReadonlyMap<string, unknown>) =>
    new Map([...values].filter(([id]) => allows(level, blueprint?.[kind].get(id)?.accessLevel ?? "readonly")));
  const written = new Set(
    [...(blueprint?.commands.values() ?? [])]
      .filter((command) => allows(level, command.readAccessLevel))
      .flatMap((command) => [...command.arguments.keys()]),
  );
  const { adjustments } = simulation;
  return {
    ...simulation,
    telemetry: filtered("telemetry", simulation.telemetry),
    properties: filtered("properties", simulation.properties),
    adjustments: {
      ...adjustments,
      telemetry: filtered("telemetry", adjustments.telemetry),
      properties: filtered("properties", adjustments.properties),
      written: new Map([...adjustments.written].filter(([name]) => written.has(name))),
    },
  };
}
