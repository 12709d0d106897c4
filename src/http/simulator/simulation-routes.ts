import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import {
  parseSimulationChange,
  renderSimulation,
  simulationChangeSchema,
  simulationSchema,
} from "#http/simulator/simulation-wire.ts";
import { adjustSimulation, readSimulation, type SimulationNeeds } from "#service/simulator/simulation.ts";

const tag = "Devices";
const answer = Type.Object({ simulation: simulationSchema }, { additionalProperties: false });

export function simulationRoutes(needs: SimulationNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/devices/:device_id/simulation",
      operation: "getSimulation",
      summary: "Get what a simulated device is doing and what was changed about it",
      description: "Values above the token's level are left out. 409 for a device that is not simulated.",
      tag,
      access: "readonly",
      answer,
      handle: async (call) => ({
        simulation: renderSimulation(await readSimulation(needs, call, call.params.device_id)),
      }),
    }),
    route({
      method: "PATCH",
      path: "/v3/devices/:device_id/simulation",
      operation: "adjustSimulation",
      summary: "Change what a simulated device does",
      description:
        "Holds and gives back values, raises and clears alerts, decides what becomes of the next command, changes seed, speed and " +
        "interval, unplugs the device. What is not given stays. All or nothing.",
      tag,
      access: "owner",
      body: simulationChangeSchema,
      answer,
      handle: async (call) => {
        const change = parseSimulationChange(call.body);
        const simulation = await adjustSimulation(needs, call, { device: call.params.device_id, change });
        return { simulation: renderSimulation(simulation) };
      },
    }),
  ];
}
