// Connects the plant to its devices: Modbus TCP and HTTP on this machine, a serial bus and a CAN bus inside the
// process.
import type { Server } from "node:net";
import { batteryFrames, takeBatteryFrame } from "#demo/devices/battery-frames.ts";
import { chargerUnit } from "#demo/devices/charger-unit.ts";
import { electrolyserUnit } from "#demo/devices/electrolyser-unit.ts";
import { inverterUnit } from "#demo/devices/inverter-unit.ts";
import { listenLocally } from "#demo/devices/listen-locally.ts";
import { createLivePlant, type LivePlant } from "#demo/devices/live-plant.ts";
import { meterUnit } from "#demo/devices/meter-unit.ts";
import { type PlantUnit, writeReadings } from "#demo/devices/register-map.ts";
import { createModbusServer } from "#demo/devices/serve-modbus.ts";
import { createWeatherServer } from "#demo/devices/serve-weather.ts";
import type { Plant, PlantMemory } from "#demo/plant/plant.ts";
import type { PlantSite } from "#demo/plant/site.ts";
import { answerPdu, createRegisterBank, type RegisterBank } from "#drivers/modbus/answer-pdu.ts";
import type { SimulatedPorts } from "#drivers/simulated-ports.ts";

const PLANT_SERVERS = ["inverter", "electrolyser", "charger", "weather"] as const;
export type PlantServer = (typeof PLANT_SERVERS)[number];
/** Names of the buses, as the example blueprints have them by default. */
const METER_PORT = "rs485";
const BATTERY_PORT = "can";

const TICK_MS = 1_000;
const ILLEGAL_VALUE = 3;

export interface RunningPlant {
  readonly plant: LivePlant;
  /** Where its servers listen. */
  readonly ports: Readonly<Record<PlantServer, number>>;
  stop(): Promise<void>;
}

export interface PlantNeeds {
  readonly site: PlantSite;
  readonly memory: PlantMemory;
  readonly now: () => number;
  readonly simulated: SimulatedPorts;
  /** Ports to take if they are free. */
  readonly preferred: Partial<Readonly<Record<PlantServer, number>>>;
}

export async function startPlant(needs: PlantNeeds): Promise<RunningPlant> {
  const plant = createLivePlant(needs.site, needs.memory);
  plant.advance(needs.now());
  const banks = new Map<RegisterBank, PlantUnit>();
  const attach = (bank: RegisterBank, unit: PlantUnit): RegisterBank => {
    banks.set(bank, unit);
    bank.onWrite = (table, register, values) =>
      plant.change((now) => unit.write(now, { table, register, values })) ? undefined : ILLEGAL_VALUE;
    fill(bank, unit, plant.now());
    return bank;
  };
  const modbus = (unit: PlantUnit) => {
    const bank = attach(createRegisterBank(), unit);
    return createModbusServer((pdu) => {
      // A write is visible in the next read, not only after the next tick.
      fill(bank, unit, plant.now());
      return answerPdu(bank, pdu);
    });
  };
  attach(needs.simulated.port(METER_PORT).unit(1), meterUnit);
  const { can } = needs.simulated.port(BATTERY_PORT);
  const deafen = can.onSent((frame) => void plant.change((now) => takeBatteryFrame(now, frame)));
  const servers: Readonly<Record<PlantServer, Server>> = {
    inverter: modbus(inverterUnit),
    electrolyser: modbus(electrolyserUnit),
    charger: modbus(chargerUnit),
    weather: createWeatherServer(plant),
  };
  const ports: Record<PlantServer, number> = { inverter: 0, electrolyser: 0, charger: 0, weather: 0 };
  await using opened = new AsyncDisposableStack();
  for (const name of PLANT_SERVERS) {
    const listening = await listenLocally(servers[name], needs.preferred[name]);
    opened.defer(() => listening.close());
    ports[name] = listening.port;
  }
  const tick = setInterval(() => {
    const now = plant.advance(needs.now());
    for (const [bank, unit] of banks) fill(bank, unit, now);
    for (const frame of batteryFrames(now)) can.emit(frame);
  }, TICK_MS);
  const running = opened.move();
  return {
    plant,
    ports,
    async stop() {
      clearInterval(tick);
      deafen();
      plant.advance(needs.now());
      await running.disposeAsync();
    },
  };
}

function fill(bank: RegisterBank, unit: PlantUnit, plant: Plant): void {
  writeReadings(bank.inputs, unit.inputs, plant);
  writeReadings(bank.holdings, unit.holdings, plant);
  writeReadings(bank.coils, unit.coils, plant);
}
